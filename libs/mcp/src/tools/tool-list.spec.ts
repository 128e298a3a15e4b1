import { settingsOf } from '../testing/open-servers.js';
import { Catalogue, refuseAmbiguous } from './catalogue.js';
import { toolHash } from '@doorledger/consent';
import { readToolList, type ListedTool, type ToolPage } from './tool-list.js';

const tool = (name: string, description?: string) => ({
  name,
  ...(description && { description }),
  inputSchema: { type: 'object' as const },
});
const listed = (name: string, description?: string): ListedTool => ({
  definition: tool(name, description),
  hash: toolHash(tool(name, description)),
});
const server = (name: string) => settingsOf({ name, transport: { kind: 'http', url: 'http://x/mcp', headers: {} } });

describe('a tool list', () => {
  const pages = (all: readonly ToolPage[]) => async (cursor: string | undefined) =>
    all[cursor === undefined ? 0 : Number(cursor)] ?? { tools: [] };

  it('M7 is read to its last page', async () => {
    const fetchPage = pages([{ tools: [tool('a')], nextCursor: '1' }, { tools: [], nextCursor: '2' }, { tools: [tool('b')] }]);
    expect((await readToolList('s', fetchPage)).map(({ definition }) => definition.name)).toEqual(['a', 'b']);
  });

  it('M7 that repeats a cursor is refused by name', async () => {
    const fetchPage = pages([
      { tools: [tool('a')], nextCursor: '1' },
      { tools: [tool('b')], nextCursor: '2' },
      { tools: [], nextCursor: '1' },
    ]);
    await expect(readToolList('files', fetchPage)).rejects.toMatchObject({
      code: 'ERR_TOOL_LIST_CURSOR',
      message: expect.stringContaining('"files"'),
    });
  });

  it('M5 and M7 without an end is refused at its bounds: pages, tools, bytes', async () => {
    let n = 0;
    const refusal = { code: 'ERR_TOOL_LIST_TOO_LARGE' };
    await expect(readToolList('s', async () => ({ tools: [], nextCursor: String(n++) }))).rejects.toMatchObject(refusal);
    const many = Array.from({ length: 2_001 }, (_, i) => tool(`t${i}`));
    await expect(readToolList('s', async () => ({ tools: many }))).rejects.toMatchObject(refusal);
    await expect(readToolList('s', async () => ({ tools: [tool('a', 'x'.repeat(5_000_000))] }))).rejects.toMatchObject(refusal);
  });
});

describe('a tool hash', () => {
  it('M2 is over the canonical JSON of name, description and input schema, and of nothing else', () => {
    const schema = { type: 'object', properties: { b: 1, a: 2 } };
    const turned = { properties: { a: 2, b: 1 }, type: 'object' };
    const hash = toolHash({ name: 'a', description: 'd', inputSchema: schema });
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(toolHash({ inputSchema: turned, description: 'd', name: 'a', title: 'other' } as never)).toBe(hash);
    expect(toolHash({ name: 'a', description: 'D', inputSchema: schema })).not.toBe(hash);
    expect(toolHash({ name: 'a', inputSchema: schema })).not.toBe(hash);
  });
});

describe('the catalogue', () => {
  it('M7 refuses at the start two tools of one name, and drops the newcomer later', () => {
    const catalogue = new Catalogue();
    expect(catalogue.list(server('a.b'), [listed('c')]).dropped).toEqual([]);
    const { dropped } = catalogue.list(server('a'), [listed('b.c'), listed('d'), listed('d')]);
    expect(dropped).toEqual(['a.b.c', 'a.d']);
    expect(() => refuseAmbiguous(dropped)).toThrow(
      expect.objectContaining({ code: 'ERR_TOOL_NAME_AMBIGUOUS', message: expect.stringContaining('"a.b.c"') }),
    );
    expect(() => refuseAmbiguous([])).not.toThrow();
    expect(catalogue.find('a', 'b.c')).toBeUndefined();
    expect(catalogue.find('a.b', 'c')?.server).toBe('a.b');
  });

  it('M2 says which definitions are others than before, and leaves pins of earlier sessions alone', () => {
    const catalogue = new Catalogue();
    catalogue.list(server('s'), [listed('a', 'one'), listed('b', 'same'), listed('gone')]);
    const pins = catalogue.pins('s');
    const { changed } = catalogue.list(server('s'), [listed('a', 'two'), listed('b', 'same'), listed('new')]);
    expect(changed).toEqual([{ tool: 'a', from: listed('a', 'one').hash, to: listed('a', 'two').hash }]);
    expect(catalogue.tools.map(({ name }) => name)).toEqual(['s.a', 's.b', 's.new']);
    expect(pins.get('a')?.hash).toBe(listed('a', 'one').hash);
  });
});
