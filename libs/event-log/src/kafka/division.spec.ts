import { decodeShare, divide, encodeShare, type GroupMember, type Partitions, subscriptionOf } from './division.js';

const topics = new Map([
  ['wide', 48],
  ['narrow', 12],
  ['single', 1],
]);
const member = (memberId: string, known: Iterable<string> = topics.keys()): GroupMember => ({
  memberId,
  memberMetadata: subscriptionOf(known),
});
const countOf = (share: Partitions): number => Object.values(share).reduce((sum, partitions) => sum + partitions.length, 0);

describe('the division of partitions', () => {
  it.each([1, 2, 3, 5, 60])('K11 gives each partition to one of %i members, whatever their order', (count) => {
    const members = Array.from({ length: count }, (_, i) => member(`m${i}`));
    const shares = divide(members, topics);
    const given = [...shares.values()].flatMap((share) =>
      Object.entries(share).flatMap(([topic, partitions]) => partitions.map((partition) => `${topic}/${partition}`)),
    );
    expect(given).toHaveLength(61);
    expect(new Set(given).size).toBe(61);
    expect(divide(members.toReversed(), topics)).toEqual(shares);
  });

  it('K11 gives members nearly the same, and equal partition numbers of all topics to one of them', () => {
    const shares = divide([member('a'), member('b'), member('c')], topics);
    expect([...shares.values()].map(countOf)).toEqual([21, 20, 20]);
    for (const { wide, narrow } of [...shares.values()]) expect(wide).toEqual(expect.arrayContaining([...narrow!]));
  });

  it('K11 gives a member of another release only topics that it knows', () => {
    const shares = divide([member('new'), member('old', ['wide'])], topics);
    expect(Object.keys(shares.get('old')!)).toEqual(['wide']);
    expect(shares.get('new')!.narrow).toHaveLength(12);
  });

  it('K11 reads a share as it was written, and none where nothing was sent', () => {
    const share = { wide: [3, 1], single: [0] };
    expect(decodeShare(encodeShare(share))).toEqual(share);
    expect(decodeShare(encodeShare({}))).toEqual({});
    expect(decodeShare(Buffer.alloc(0))).toEqual({});
  });
});
