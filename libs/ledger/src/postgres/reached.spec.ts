import { reached } from './reached.js';

const codeOf = (error: object) =>
  reached(() => Promise.reject(Object.assign(new Error('as it was'), error))).catch((e: { code?: string }) => e.code);

it.each([
  ...['08000', '08001', '08003', '08004', '08006', '08P01', '53300', '57P01', '57P02', '57P03'].map((code) => ({ code })),
  ...['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'EPIPE', 'ENOTFOUND', 'EAI_AGAIN'].map((code) => ({
    code,
  })),
  { message: 'Connection terminated unexpectedly' },
  { message: 'timeout exceeded when trying to connect' },
  { message: 'Client has encountered a connection error and is not queryable' },
])('K15 takes %j for a database that is away', async (error) => {
  expect(await codeOf(error)).toBe('ERR_DATABASE_AWAY');
});

it.each([{ code: '28P01' }, { code: '3D000' }, { code: '42501' }, { code: 'SELF_SIGNED_CERT_IN_CHAIN' }])(
  'K15 takes %j for one that refuses',
  async (error) => {
    expect(await codeOf(error)).toBe('ERR_DATABASE_REFUSED');
  },
);

it.each([{ code: '42P01' }, { code: '40001' }, { code: '23505' }, { code: '53100' }])('K15 leaves %j as it is', async (error) => {
  expect(await codeOf(error)).toBe(error.code);
});
