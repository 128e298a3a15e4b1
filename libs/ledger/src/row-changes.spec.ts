import { RowChanges } from './row-changes.js';

const rows = (changes: RowChanges) => [...changes.rows()].flatMap(({ table, rows }) => rows.map((row) => [table, row]));

it('X0 lets a store see one change per row, however often a batch changes it', () => {
  const changes = new RowChanges();
  changes.put('host', { host_id: 'h', boot_id: 'b', version: '1', last_seq: 4, started_at: 1 });
  changes.put('host', { host_id: 'h', boot_id: 'b', version: '2', last_seq: 3, started_at: 2 });
  expect(rows(changes)).toEqual([['host', { host_id: 'h', boot_id: 'b', version: '2', last_seq: 4, started_at: 1 }]]);
});

it('X0 asks nothing of a store for a row that came and went within a batch', () => {
  const changes = new RowChanges();
  const key = { session_key: 's', run_id: 'r' };
  changes.add('open_run', { ...key, partition: 0 });
  changes.put('open_run', { ...key, partition: 0, quiet_since: 5 });
  changes.remove('open_run', key);
  expect(rows(changes)).toEqual([]);
  expect([...changes.removals()]).toEqual([]);
});

it('X0 takes a row away that a store may have', () => {
  const changes = new RowChanges();
  const key = { session_key: 's', run_id: 'r' };
  changes.put('open_run', { ...key, partition: 0, quiet_since: 5 });
  changes.remove('open_run', key);
  changes.add('open_run', { ...key, partition: 0 });
  changes.remove('open_run', key);
  expect(rows(changes)).toEqual([]);
  expect([...changes.removals()]).toEqual([{ table: 'open_run', keys: [key] }]);
});

it('X0 keeps half surrogate pairs from every store, in keys too', () => {
  const changes = new RowChanges();
  changes.put('host', { host_id: 'a\ud800', boot_id: 'b' });
  changes.put('host', { host_id: 'a\udfff', boot_id: 'b', version: '🦊' });
  expect(rows(changes)).toEqual([['host', { host_id: 'a\uFFFD', boot_id: 'b', version: '🦊' }]]);
});

it('X0 keeps U+0000 from every store, in keys too', () => {
  const changes = new RowChanges();
  changes.put('host', { host_id: 'a\u0000b', boot_id: 'b' });
  changes.put('host', { host_id: 'a\uFFFDb', boot_id: 'b', version: '\u0000' });
  expect(rows(changes)).toEqual([['host', { host_id: 'a\uFFFDb', boot_id: 'b', version: '\uFFFD' }]]);
});
