import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArguments } from './argument-text.js';
import { canonicalJson } from './canonical-json.js';
import { UnbindableError } from './errors.js';
import { mint } from './mint.js';
import type { UnboundCall } from './call.js';
import { toolHash, type ToolDefinition } from './tool-hash.js';

const folder = join(process.cwd(), 'docs/spec/vectors');
const rowsOf = <Row>(file: string): Row[] => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Row[];
const sha256 = (...parts: readonly (string | Uint8Array)[]) =>
  createHash('sha256')
    .update(Buffer.concat(parts.map((p) => Buffer.from(p))))
    .digest('hex');

/** Sorts and writes by hand, so that a published text cannot be whatever the package says. Numbers of the vectors it is used on are integers. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const units = (name: string) => Array.from({ length: name.length }, (_, i) => name.charCodeAt(i).toString(16).padStart(4, '0')).join('');
  const names = Object.keys(value).sort((a, b) => (units(a) < units(b) ? -1 : 1));
  return `{${names.map((name) => `${JSON.stringify(name)}:${written((value as Record<string, unknown>)[name])}`).join()}}`;
}

/** What a row has to do with the code; a planted fault must show. */
const disagreement = {
  canonical: (row: { json: string; canonical: string }) => canonicalJson(JSON.parse(row.json)) !== row.canonical,
  toolHash: (row: { tool: ToolDefinition; canonical: string; hash: string }) =>
    written(row.tool) !== row.canonical || sha256(row.canonical) !== row.hash || toolHash(row.tool) !== row.hash,
  id: ({ call, nonce, canonical, id }: { call: UnboundCall; nonce: string; canonical: string; id: string }) => {
    const bytes = Buffer.from(nonce, 'hex');
    const recomputed = sha256('doorledger.consent.v1', Uint8Array.of(0), bytes, canonical);
    return written(call) !== canonical || recomputed !== id || mint(call, bytes).requestId !== id;
  },
};

it.each(rowsOf<{ name: string; json: string; canonical: string }>('canonical-json.json'))('N3 writes the canonical text: $name', (row) => {
  expect(disagreement.canonical(row)).toBe(false);
});

it.each(rowsOf<{ ieee754: string; json: string | null }>('numbers.json'))(
  'N3 writes the double $ieee754 as RFC 8785 does',
  ({ ieee754, json }) => {
    const value = Buffer.from(ieee754, 'hex').readDoubleBE();
    if (json === null) expect(() => canonicalJson(value)).toThrow(UnbindableError);
    else expect(canonicalJson(value)).toBe(json);
  },
);

it.each(rowsOf<{ name: string; tool: ToolDefinition; canonical: string; hash: string }>('tool-hash.json'))(
  'N1 hashes a tool definition: $name',
  (row) => {
    expect(disagreement.toolHash(row)).toBe(false);
  },
);

it.each(rowsOf<{ name: string; call: UnboundCall; nonce: string; canonical: string; id: string }>('consent-id.json'))(
  'N2 commits to a call: $name',
  (row) => {
    expect(disagreement.id(row)).toBe(false);
  },
);

it.each(rowsOf<{ name: string; text: string; path?: string; canonical?: string }>('argument-text.json'))(
  'N4 reads or refuses argument text: $name',
  ({ text, path, canonical }) => {
    if (path === undefined) expect(canonicalJson(parseArguments(text))).toBe(canonical);
    else expect(() => parseArguments(text)).toThrow(expect.objectContaining({ code: 'ERR_CONSENT_UNBINDABLE', path }));
  },
);

it('N1, N2 and N3 see a vector with one changed character', () => {
  const [canonical] = rowsOf<Parameters<typeof disagreement.canonical>[0]>('canonical-json.json');
  const [tool] = rowsOf<Parameters<typeof disagreement.toolHash>[0]>('tool-hash.json');
  const [id] = rowsOf<Parameters<typeof disagreement.id>[0]>('consent-id.json');
  const bent = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
  expect(disagreement.canonical({ ...canonical!, canonical: bent(canonical!.canonical) })).toBe(true);
  expect(disagreement.toolHash({ ...tool!, hash: bent(tool!.hash) })).toBe(true);
  expect(disagreement.toolHash({ ...tool!, canonical: bent(tool!.canonical) })).toBe(true);
  expect(disagreement.id({ ...id!, id: bent(id!.id) })).toBe(true);
  expect(disagreement.id({ ...id!, nonce: bent(id!.nonce) })).toBe(true);
});

it('N2 leaves no published vector untested', () => {
  expect(readdirSync(folder).filter((f) => f.endsWith('.json')).sort()).toEqual([
    'argument-text.json', 'canonical-json.json', 'consent-id.json', 'numbers.json', 'tool-hash.json',
  ]); // prettier-ignore
});
