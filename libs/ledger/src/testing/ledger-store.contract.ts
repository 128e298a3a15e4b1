import { advance, startOfPartition, type PartitionTime } from '@doorledger/event-log';
import fc from 'fast-check';
import { ledgerDigest } from '../digest.js';
import { RowChanges } from '../row-changes.js';
import type { Change } from '../schema/index.js';
import type { Advance, LedgerStore } from '../store.js';

/** A store over an empty generation that survives being closed and opened again. */
export interface LedgerStoreFixture {
  readonly store: LedgerStore;
  reopen(): Promise<LedgerStore>;
  dispose(): Promise<void>;
}

const place = (next: number): PartitionTime => ({ ...advance(startOfPartition, { offset: next - 1, epoch: 1, timestamp: 5 }), T: 7 });
const move = (from: number, to: number, partition = 0): Advance => ({ topic: 'topic', partition, from, to: place(to) });
const none = new RowChanges();

function changesOf(write: (changes: RowChanges) => void): RowChanges {
  const changes = new RowChanges();
  write(changes);
  return changes;
}

const host = (more: Partial<Change<'host'>> = {}): Change<'host'> => ({ host_id: 'h', boot_id: 'b', ...more });
const message = (offset: number, more: Partial<Change<'message'>> = {}): Change<'message'> => ({
  partition: 0,
  offset,
  session_key: 's',
  type: 'messages.added',
  turn_id: 't',
  run_id: 'r',
  at: 1,
  key_id: 'k',
  sealed: Buffer.from([0, 255, offset]),
  hash: 'h',
  ...more,
});

/** What every engine under the ledger promises. */
export function ledgerStoreContract(name: string, open: () => Promise<LedgerStoreFixture>): void {
  describe(`${name} keeps the ledger store contract`, () => {
    let fixture: LedgerStoreFixture;
    let store: LedgerStore;
    beforeEach(async () => ({ store } = fixture = await open()));
    afterEach(() => fixture.dispose());

    const commit = (advances: readonly Advance[], changes = none) => store.commit({ advances, changes });
    const digest = async () => (await store.snapshot((db) => ledgerDigest(db))).sha256;
    const hosts = () => store.db.selectFrom('host').selectAll().orderBy('host_id').execute();
    const nextOf = async () =>
      (await store.db.selectFrom('projection_offset').select('next').orderBy('partition').execute()).map((r) => r.next);

    it('L9 moves a place only from where the projector believes it is, and writes nothing otherwise', async () => {
      expect(await commit([move(0, 5)])).toBe('committed');
      const late = changesOf((changes) => changes.put('host', host()));
      for (const from of [0, 4, 6]) expect(await commit([move(from, 9)], late)).toBe('stale');
      expect(await hosts()).toEqual([]);
      expect(await nextOf()).toEqual([5]);
      expect(await commit([move(5, 9)], late)).toBe('committed');
      expect(await hosts()).toHaveLength(1);
    });

    it('L9 takes every place and row back when one place of a commit is stale', async () => {
      await commit([move(0, 5, 1)]);
      expect(
        await commit(
          [move(0, 3, 0), move(4, 6, 1)],
          changesOf((changes) => changes.put('host', host())),
        ),
      ).toBe('stale');
      expect(await nextOf()).toEqual([5]);
      expect(await hosts()).toEqual([]);
    });

    it('L9 refuses a place that is gone', async () => {
      expect(await commit([move(3, 5)])).toBe('stale');
      expect(await nextOf()).toEqual([]);
    });

    it('L9 keeps neither rows nor places of a commit that fails', async () => {
      const broken = changesOf((changes) => {
        changes.put('host', host());
        changes.append('quarantine', { topic: 'topic', partition: 0, offset: 1, why: null as never });
      });
      await expect(commit([move(0, 5)], broken)).rejects.toMatchObject({ message: expect.stringMatching(/null/i) });
      expect(await nextOf()).toEqual([]);
      expect(await hosts()).toEqual([]);
      expect(await commit([move(0, 5)])).toBe('committed');
    });

    it('L9 has everything committed after it was opened again', async () => {
      await commit(
        [move(0, 5)],
        changesOf((changes) => changes.append('message', message(3))),
      );
      const before = await digest();
      store = await fixture.reopen();
      expect(await digest()).toBe(before);
      expect(await nextOf()).toEqual([5]);
      const [row] = await store.db.selectFrom('message').selectAll().execute();
      expect({ ...row, sealed: [...row!.sealed!] }).toEqual({
        ...message(3),
        sealed: [0, 255, 3],
        messages: null,
        part: null,
        parts: null,
      });
    });

    it('X0 leaves columns that a change does not name, keeps the first of kept ones and the greater of growing ones', async () => {
      await commit(
        [],
        changesOf((c) => c.put('host', host({ version: '1', last_seq: 7, started_at: 10 }))),
      );
      await commit(
        [],
        changesOf((c) => c.put('host', host({ last_seq: 5, started_at: 20, stopped_at: 30 }))),
      );
      expect(await hosts()).toEqual([
        {
          ...{
            ...host(),
            version: '1',
            fold_version: null,
            last_seq: 7,
            durable_seq: null,
            started_at: 10,
            alive_at: null,
            stopped_at: 30,
          },
          ...{ started_offset: null, alive_offset: null, alive_time: null },
        },
      ]);
    });

    it('X0 keeps what belongs to the first close together', async () => {
      const row = { tool_session_id: 't', key_hash: 'k' };
      await commit(
        [],
        changesOf((c) => c.put('tool_session', { ...row, closed_at: 1, close_reason: 'idle', close_error_class: null })),
      );
      await commit(
        [],
        changesOf((c) => c.put('tool_session', { ...row, closed_at: 2, close_reason: 'evicted', close_error_class: 'E' })),
      );
      const [stored] = await store.db.selectFrom('tool_session').selectAll().execute();
      expect(stored).toMatchObject({ closed_at: 1, close_reason: 'idle', close_error_class: null });
    });

    it('X0 takes rows away, and makes them again in the same commit', async () => {
      const run = { session_key: 's', run_id: 'r', partition: 0, status: 'waiting' };
      await commit(
        [],
        changesOf((c) => c.add('open_run', run)),
      );
      await commit(
        [],
        changesOf((c) => {
          c.remove('open_run', { session_key: 's', run_id: 'r' });
          c.add('open_run', { ...run, status: 'standing' });
        }),
      );
      expect(await store.db.selectFrom('open_run').select('status').execute()).toEqual([{ status: 'standing' }]);
      await commit(
        [],
        changesOf((c) => c.remove('open_run', { session_key: 's', run_id: 'r' })),
      );
      expect(await store.db.selectFrom('open_run').selectAll().execute()).toEqual([]);
    });

    it('X3 drops the rows made from positions before a cut, and no others', async () => {
      const topic = 'doorledger.private.v1';
      await commit(
        [],
        changesOf((c) => {
          for (const partition of [0, 1]) for (const offset of [1, 2, 3]) c.append('message', message(offset, { partition }));
          for (const offset of [1, 3]) c.append('quarantine', { topic, partition: 0, offset, why: 'unreadable' });
          c.append('quarantine', { topic: 'doorledger.ingress.v1', partition: 0, offset: 1, why: 'unreadable' });
        }),
      );
      await commit(
        [],
        changesOf((c) => c.cut({ topic, partition: 0, before: 3 })),
      );
      const left = await store.db.selectFrom('message').select(['partition', 'offset']).orderBy('partition').orderBy('offset').execute();
      expect(left.map((r) => [r.partition, r.offset])).toEqual([
        [0, 3],
        [1, 1],
        [1, 2],
        [1, 3],
      ]);
      expect(await store.db.selectFrom('quarantine').select('offset').orderBy('topic').execute()).toEqual([{ offset: 1 }, { offset: 3 }]);
    });

    it('X0 shows a snapshot one moment while commits go on', async () => {
      await commit(
        [],
        changesOf((c) => c.put('host', host())),
      );
      const count = await store.snapshot(async (db) => {
        const before = (await db.selectFrom('host').selectAll().execute()).length;
        await commit(
          [],
          changesOf((c) => c.put('host', host({ boot_id: 'b2' }))),
        );
        return [before, (await db.selectFrom('host').selectAll().execute()).length];
      });
      expect(count).toEqual([1, 1]);
      expect(await hosts()).toHaveLength(2);
    });

    it('X0 has one digest for one content, in whatever order it came and on every engine', async () => {
      const ids = ['B', 'a', 'Z', 'ä', '\u{1F600}', '\uFFFD', ''];
      for (const host_id of ids)
        await commit(
          [],
          changesOf((c) => c.put('host', host({ host_id, last_seq: 2 ** 50 }))),
        );
      await commit(
        [],
        changesOf((c) => [4, 2].forEach((offset) => c.append('message', message(offset)))),
      );
      // Changes with the ledger's format only.
      expect(await digest()).toBe('16c2d5cde8f2d7c03312b4ca401b75d3ab292bf45fdca1e272e4901d434738a9');
    });

    it('X0 has another digest for any other content', async () => {
      const seen = new Set([await digest()]);
      const changes: ((c: RowChanges) => void)[] = [
        (c) => c.put('host', host({ version: '12' })),
        (c) => c.put('host', host({ version: '1' })),
        (c) => c.put('host', host({ version: null })),
        (c) => c.put('host', host({ version: '' })),
        (c) => c.put('host', host({ host_id: '' })),
        (c) => c.append('message', message(1)),
        (c) => c.append('message', message(2, { sealed: Buffer.from([1]) })),
        (c) => c.remove('host', { host_id: '', boot_id: 'b' }),
      ];
      for (const change of changes) {
        await commit([], changesOf(change));
        const found = await digest();
        expect(seen).not.toContain(found);
        seen.add(found);
      }
      await commit([move(0, 1)]);
      expect(seen).not.toContain(await digest());
    });

    it('X0 merges the changes of a batch as it would write them one by one', async () => {
      const seqs = fc.option(fc.integer({ min: 0, max: 9 }));
      const change = fc.record(
        { version: fc.constantFrom('1', '2', null), last_seq: seqs, started_at: seqs, stopped_at: seqs, fold_version: seqs },
        { requiredKeys: [] },
      );
      const closing = fc.record(
        { closed_at: seqs, close_reason: fc.constantFrom('idle', 'evicted', null), age_ms: seqs },
        { requiredKeys: [] },
      );
      let round = 0;
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(change, closing), { minLength: 1, maxLength: 6 }), fc.nat(5), async (all, cutAt) => {
          const [one, many] = [`one ${++round}`, `many ${round}`];
          const write = (c: RowChanges, id: string, [ofHost, ofToolSession]: (typeof all)[number]) => {
            c.put('host', host({ host_id: id, ...ofHost }));
            c.put('tool_session', { tool_session_id: id, key_hash: 'k', ...ofToolSession });
          };
          for (const c of all)
            await commit(
              [],
              changesOf((changes) => write(changes, one, c)),
            );
          for (const some of [all.slice(0, cutAt), all.slice(cutAt)])
            await commit(
              [],
              changesOf((changes) => some.forEach((c) => write(changes, many, c))),
            );
          const rows = async (id: string) => [
            { ...(await store.db.selectFrom('host').selectAll().where('host_id', '=', id).executeTakeFirst()), host_id: '' },
            {
              ...(await store.db.selectFrom('tool_session').selectAll().where('tool_session_id', '=', id).executeTakeFirst()),
              tool_session_id: '',
            },
          ];
          expect(await rows(many)).toEqual(await rows(one));
        }),
        { numRuns: 40 },
      );
    });
  });
}
