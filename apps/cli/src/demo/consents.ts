import { setTimeout as sleep } from 'node:timers/promises';
import { must } from './demo-door.js';
import type { Scene } from './scene.js';

const call = (tool: string, args: object): string => `/call ${tool} ${JSON.stringify(args)}`;
const transfer = (to: string, amount: number, reference: string) => call('bank.transfer', { to, amount, currency: 'EUR', reference });
const mail = (to: string, subject: string, body: string) => call('mail.send', { to, subject, body });

/** The gate of `bank.place_hold` waits for one second. */
const PAST_DECIDE_BY_MS = 1_200;

const waitsFor =
  (session: string, line: string): Scene =>
  async ({ door, named }) =>
    void (await door.pause(named(session), line));

/** Three calls that wait for whoever looks. */
export const waiting: readonly Scene[] = [
  waitsFor('ann-payments', transfer('Nordwind GmbH', 4200, 'invoice 2291, second half')),
  // Read it twice: the name has a character in it that turns the reading direction, and the console shows it.
  waitsFor('bob-mails', mail('lists@harbour.example', 'Price list', 'Please open prices_\u202Efdp.exe and answer before noon.')),
  waitsFor('cara-cleaning', call('files.delete_folder', { path: '/shared/archive/2019' })),
];

const settled =
  (session: string, line: string, approved: boolean): Scene =>
  async ({ door, named }) => {
    const requestId = await door.pause(named(session), line);
    await sleep(300);
    await door.decide(named(session), requestId, approved);
  };

const approved: readonly Scene[] = [
  settled('dan-payments', transfer('Papierwerk', 1840, 'invoice 3120'), true),
  settled('ann-mails', mail('orders@nordwind.example', 'Your order', 'It left our house today.'), true),
  settled('bob-customers', call('crm.update_customer', { id: 'c-118', changes: { phone: '+49 30 0000000', newsletter: false } }), true),
  settled('cara-releases-2', call('deploy.release', { service: 'checkout', version: '4.3.0' }), true),
];
const declined: readonly Scene[] = [
  settled('dan-payments', transfer('Unknown Ltd', 98000, 'urgent'), false),
  settled('ann-cleaning', call('files.delete_folder', { path: '/shared/reports' }), false),
  settled('ann-mails', mail('all@company.example', 'Hello everybody', 'This is a test.'), false),
];

/** Taken back by whoever asked, and by the end of the session. */
const closed: readonly Scene[] = [
  async ({ door, named }) => {
    const requestId = await door.pause(named('bob-withdrawn'), transfer('Papierwerk', 1840, 'the same invoice again'));
    must(await door.post(`/v1/consents/${requestId}/close`, {}), [200]);
  },
  async ({ door, named }) => {
    await door.pause(named('cara-leaving'), mail('team@company.example', 'Back on Monday', 'I am away until then.'));
    must(await door.post(`/v1/sessions/${named('cara-leaving')}/close`, {}), [200]);
  },
];

const expired: Scene = async ({ door, named }) => {
  const session = named('dan-late');
  const requestId = await door.pause(session, call('bank.place_hold', { account: 'operations', amount: 600 }));
  await sleep(PAST_DECIDE_BY_MS);
  await door.decide(session, requestId, true, [409]);
};

/** Two people answer at once, and not alike: the order of the log decides. */
const race =
  (session: string): Scene =>
  async ({ door, named }) => {
    const requestId = await door.pause(named(session), transfer('Harbour Supplies', 2600, 'order 88'));
    const answers = await Promise.all([true, false].map((yes) => door.decide(named(session), requestId, yes, [200, 409])));
    must(answers.find(({ status }) => status === 409) ?? answers[0]!, [409]);
  };

/** Nobody will ever know whether this release went out: it was sent, and no answer came. */
const unknown: Scene = async ({ door, named }) => {
  const session = named('cara-search-release');
  await door.decide(session, await door.pause(session, call('deploy.release', { service: 'search', version: '9.0.0' })), true);
};

/** One click for the same mail again: the next two are not asked about. */
const granted: Scene = async ({ door, named }) => {
  const session = named('ann-reminders');
  const line = mail('desk@company.example', 'Daily numbers', 'See the report.');
  const requestId = await door.pause(session, line);
  must(await door.post('/v1/grants', { requestId, count: 2 }), [201]);
  await door.decide(session, requestId, true);
  for (let use = 0; use < 2; use++) await door.say(session, line);
};

/** Approved with a smaller amount: the old request is closed, and a new one that names it is approved by the same word. */
const changed: Scene = async ({ door, named }) => {
  const requestId = await door.pause(named('dan-invoices'), transfer('Harbour Supplies', 5200, 'order 91'));
  const args = { to: 'Harbour Supplies', amount: 2600, currency: 'EUR', reference: 'order 91, first half' };
  must(await door.post(`/v1/consents/${requestId}/decision`, { approved: true, changes: { args } }), [200]);
};

/** What waits while somebody goes on talking. */
const impatient: Scene = async ({ door, named }) => void (await door.say(named('ann-payments'), 'Well?', [409]));

const frozen: Scene = async ({ door, named }) => {
  const { body } = must(
    await door.post('/v1/freezes', { target: { kind: 'tool', name: 'deploy.status' }, why: 'the demo shows a freeze' }),
    [201],
  );
  await door.say(named('dan-frozen'), call('deploy.status', { service: 'checkout' }));
  must(
    await door.send({ method: 'DELETE', path: `/v1/freezes/${String(body.freezeId)}`, headers: { 'content-type': 'application/json' } }),
    [200],
  );
};

/** Every way in which a request ends. */
export const outcomes: readonly Scene[] = [
  ...approved,
  ...declined,
  ...closed,
  expired,
  race('ann-race'),
  race('bob-race'),
  unknown,
  granted,
  changed,
  impatient,
  frozen,
];

/** Those that go on being decided while the demo keeps going. */
export const decided: readonly Scene[] = [...approved, ...declined, race('dan-race')];
