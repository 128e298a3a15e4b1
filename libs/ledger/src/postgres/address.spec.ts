import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { destinationOf } from './address.js';

const URL = 'postgres://me:a%2Fsecret@db.example:5433/ledger';
const sslOf = (mode: string, more = '') => destinationOf({ url: `${URL}?sslmode=${mode}${more}` }).ssl;

it('X1 asks for no TLS unless the address or certificates do', () => {
  expect(destinationOf({ url: URL })).toEqual({ connectionString: URL, ssl: false });
  expect(sslOf('disable')).toBe(false);
  expect(destinationOf({ url: URL, tls: { ca: 'pem' } }).ssl).toEqual({ ca: 'pem' });
});

it('X1 checks chain and host with verify-full, the chain alone with verify-ca, nothing with require', () => {
  const given = { ca: 'pem', cert: undefined, key: undefined };
  expect(destinationOf({ url: `${URL}?sslmode=verify-full`, tls: { ca: 'pem' } }).ssl).toEqual(given);
  expect(sslOf('verify-ca')).toMatchObject({ rejectUnauthorized: true, checkServerIdentity: expect.any(Function) });
  expect(sslOf('require')).toMatchObject({ rejectUnauthorized: false });
  expect(destinationOf({ url: `${URL}?sslmode=require`, tls: { ca: 'pem' } }).ssl).toMatchObject({ rejectUnauthorized: true });
});

it('X1 reads the files that the address names, and the driver sees none of it', () => {
  const dir = mkdtempSync(join(tmpdir(), 'doorledger-address-'));
  for (const name of ['ca', 'cert', 'key']) writeFileSync(join(dir, name), `${name} of a file`);
  const files = `&sslrootcert=${join(dir, 'ca')}&sslcert=${join(dir, 'cert')}&sslkey=${join(dir, 'key')}&connect_timeout=3`;
  const { connectionString, ssl } = destinationOf({ url: `${URL}?sslmode=verify-full${files}`, tls: { key: 'a given key' } });
  expect(ssl).toEqual({ ca: 'ca of a file', cert: 'cert of a file', key: 'a given key' });
  expect(connectionString).toBe(`${URL}?connect_timeout=3`);
  rmSync(dir, { recursive: true });
});

it('X1 refuses what it cannot honour, and never quotes the address', () => {
  for (const url of ['', 'mysql://me:secret@h/db', 'postgres//secret', `${URL}?sslmode=prefer`, `${URL}?sslrootcert=/not/there`])
    try {
      destinationOf({ url });
      throw new Error('was taken');
    } catch (error) {
      expect(error).toMatchObject({ code: 'ERR_DATABASE_ADDRESS' });
      expect((error as Error).message).not.toContain('secret');
    }
});
