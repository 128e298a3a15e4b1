import { framesOf } from '../../faults/event-frames.js';
import { answerOf } from './asking.js';
import type { CanarySearch } from './canary.js';
import type { DoorCase } from './door-case.js';
import { Places } from './places.js';
import type { TestedHost } from './tested-host.js';

/** What a case says of a body: a text is the code of a refusal that says nothing else. */
export const said = (body: unknown): unknown =>
  typeof body === 'string' && body !== '' ? { error: expect.any(String), code: body } : body;

/** The cases of a table at one host, one by one. */
export class TableRun {
  readonly places: Places;
  /** The turns that answers have named. */
  readonly turnIds: string[] = [];

  constructor(
    readonly host: TestedHost,
    readonly search: CanarySearch,
  ) {
    this.places = new Places(host);
  }

  /** Asks, and judges the answer and what the ledger has of it. A refusal repeats nothing that its caller sent. */
  async holds({ ask, status, body, headers = {}, ...place }: DoorCase): Promise<void> {
    const answer = await answerOf(this.host, ask);
    const isStream = answer.headers['content-type'] === 'text/event-stream';
    const came = isStream
      ? framesOf(answer.body).map(({ event }) => event)
      : answer.body === ''
        ? ''
        : (JSON.parse(answer.body) as unknown);
    expect([answer.status, came]).toEqual([status, said(body)]);
    if (!isStream && answer.body !== '') expect(answer.headers['content-type']).toMatch(/^application\/json/);
    for (const [name, value] of Object.entries(headers)) expect([name, answer.headers[name]]).toEqual([name, value]);
    if (status >= 400) expect(this.search.in(answer.body)).toEqual([]);
    expect(this.search.in(JSON.stringify(answer.headers))).toEqual([]);
    const turnId = answer.headers['x-turn-id'];
    if (turnId !== undefined) this.turnIds.push(turnId);
    const record = await this.places.take(place);
    if (place.row) expect(record).toEqual(this.places.expected(place.row, turnId));
  }
}
