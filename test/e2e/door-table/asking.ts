import type { Answer } from '../../fuzz/answer-reader.js';
import { Connection } from '../../fuzz/connection.js';
import type { Ask } from './door-case.js';
import type { TestedHost } from './tested-host.js';

const handshake = {
  upgrade: 'websocket',
  connection: 'Upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AQIDBAUGBwgJCgsMDQ4PEA==',
};

/** Makes one request over a connection of its own; every byte of it is the case's. */
export async function answerOf({ served, tokens }: Pick<TestedHost, 'served' | 'tokens'>, ask: Ask): Promise<Answer> {
  const port = Number(new URL(served.url).port);
  const connection = new Connection(port);
  const came =
    ask.bytes === undefined
      ? [await connection.ask(textOf(ask, port, tokens), false)]
      : await connection.tell(Buffer.from(ask.bytes), false);
  const more = await connection.leave();
  const [answer] = came;
  if (typeof answer !== 'object' || more?.length !== 0)
    throw new Error(`There came ${JSON.stringify(came)}, then ${more?.toString() ?? 'no end'}`);
  return answer;
}

function textOf(
  { method, path, as = 'ann', headers = {}, body = {}, isUpgrade = false }: Ask,
  port: number,
  tokens: TestedHost['tokens'],
): Buffer {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const fields: Record<string, string | null | readonly string[]> = {
    host: `localhost:${port}`,
    ...(isUpgrade ? handshake : text !== '' && { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
    ...(as !== 'nobody' && { authorization: `Bearer ${tokens[as]}` }),
    ...headers,
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    value === null ? [] : [value].flat().map((one) => `${name}: ${String(one)}`),
  );
  const first = isUpgrade ? `GET ${path ?? '/conversation'}` : `${method ?? 'POST'} ${path ?? '/invoke'}`;
  return Buffer.from([`${first} HTTP/1.1`, ...lines, '', isUpgrade ? '' : text].join('\r\n'));
}
