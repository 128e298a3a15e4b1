import { foldSession } from '../fold.js';
import { faults } from './faults.js';
import { scenes } from './scenes.js';
import { search } from './search.js';

/** In the unit run every scene is searched from its start, the small ones whole; `npm run model` searches on. */
const MAX_STATES = 1_500;

describe('every history of a scene', () => {
  it.each(Object.entries(scenes))('%s: no history breaks it', (_, scene) => {
    expect(search({ scene, fold: foldSession }, { maxStates: MAX_STATES }).bad).toEqual([]);
  });

  it('L5 comes to rest in a whole scene', () => {
    expect(search({ scene: scenes['L5: a queue']!, fold: foldSession }, { maxStates: MAX_STATES })).toMatchObject({
      isExhausted: true,
      bad: [],
    });
  });
});

describe('a planted fault', () => {
  it.each(Object.entries(faults))('%s: is seen, by a shortest history', (_, { fold, scene, breaks, hasClockPerReader }) => {
    const limits = { maxStates: 10_000, isFirstEnough: true };
    const [bad] = search({ scene: scenes[scene]!, fold, ...(hasClockPerReader && { hasClockPerReader }) }, limits).bad;
    expect(bad?.what.split(' ')[0]).toBe(breaks);
    expect(bad?.history.length).toBeLessThan(17);
  });
});
