import { topics } from '@doorledger/contracts';
import { tablesOf } from './rows.js';

const tables = new Map(
  tablesOf(Object.values(topics).filter(({ visible }) => visible === 'public')).map(({ name, columns }) => [name, columns]),
);

it('X4 gives every public fact a file whose columns have names of their own, in lower case with underscores', () => {
  expect(tables.size).toBe(42);
  for (const columns of tables.values()) for (const name of Object.keys(columns)) expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
});

it('X4 types columns by the schema, flattens what is in another object, and knows times from counts', () => {
  expect(tables.get('ingress.recorded')).toMatchObject({
    log_offset: 'BIGINT',
    log_time: 'TIMESTAMPTZ',
    session_ref: 'VARCHAR',
    at: 'TIMESTAMPTZ',
    outcome: 'VARCHAR',
    claimed_user: 'BOOLEAN',
    duration_ms: 'BIGINT',
  });
  expect(tables.get('turn.completed')).toMatchObject({ private_offset: 'BIGINT', usage_input_tokens: 'BIGINT', usage_model: 'VARCHAR' });
  expect(tables.get('turn.claimed')).toMatchObject({ after: 'VARCHAR', wait: 'BOOLEAN', idempotency_key: 'VARCHAR' });
  expect(tables.get('ingress.counted')).toMatchObject({ from: 'TIMESTAMPTZ', count: 'BIGINT', seqs: 'JSON text' });
  expect(tables.get('log.genesis')).toMatchObject({ topics: 'JSON text' });
  expect(tables.get('tool.changed')).toMatchObject({ from: 'VARCHAR', to: 'VARCHAR' });
});

it('O8 has no column for a private fact', () =>
  expect([...tables.keys()].filter((name) => name.endsWith('.stored') || name.endsWith('.named'))).toEqual([]));
