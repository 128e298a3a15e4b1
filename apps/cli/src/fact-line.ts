import { styleText } from 'node:util';
import type { StoredRecord } from '@doorledger/event-log';
import { shortName } from './topic-name.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const HEX = /^[0-9a-f]{32,64}$/;

/** Long names by the part that tells them apart: UUIDs of one minute begin alike. */
const brief = (text: string): string => (UUID.test(text) ? `…${text.slice(-8)}` : HEX.test(text) ? `${text.slice(0, 8)}…` : text);

/** A terminal would act on them. */
const unprintable = /[\x00-\x1f\x7f-\x9f]/g;

/** What names a record says where it lies: that is what `tail --from` takes. */
function placeIn(value: unknown): string | undefined {
  const { partition, offset } = Object(value) as { partition?: unknown; offset?: unknown };
  return typeof partition === 'number' && typeof offset === 'number' ? `${partition}:${offset}` : undefined;
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? brief(value) : (placeIn(value) ?? JSON.stringify(value));
  return (text.length > 60 ? `${text.slice(0, 60)}…` : text).replace(unprintable, '?');
}

type Style = Parameters<typeof styleText>[0];
const COLOURS: Readonly<Record<string, Style>> = {
  turn: 'cyan',
  consent: 'yellow',
  'tool-call': 'magenta',
  'tool-session': 'blue',
  session: 'green',
  ingress: 'gray',
};
const BAD = /\.(failed|lapsed|close-failed)$/;

/** A record as one line for a person: log time, place, type, data. */
export function factLine({ topic, partition, offset, timestamp, decoded }: StoredRecord, isColoured: boolean): string {
  const paint = (style: Style, text: string) => (isColoured ? styleText(style, text, { validateStream: false }) : text);
  const type = decoded.type?.replace(unprintable, '?') ?? 'unknown';
  const style = BAD.test(type) ? 'red' : (COLOURS[type.slice(0, type.indexOf('.'))] ?? 'white');
  const data = decoded.body
    ? Object.entries(decoded.body.data)
        .filter(([, value]) => value !== null)
        .map(([name, value]) => `${paint('dim', `${name}=`)}${shown(value)}`)
        .join(' ')
    : paint('red', 'unreadable');
  const time = new Date(timestamp).toISOString().slice(11, 23);
  return `${paint('dim', `${time} ${`${shortName(topic)}:${partition}:${offset}`.padEnd(18)}`)} ${paint(style, type.padEnd(21))} ${data}`;
}
