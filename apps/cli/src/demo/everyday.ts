import type { Scene } from './scene.js';

const call = (tool: string, args: object): string => `/call ${tool} ${JSON.stringify(args)}`;

const orders = [
  'Good morning. What is open for Nordwind?',
  call('crm.find_customer', { name: 'Nordwind' }),
  call('mail.search', { query: 'Nordwind' }),
  'Thanks, that is all of them.',
];
const accounts = [
  call('bank.balance', { account: 'operations' }),
  call('bank.transfer', { to: 'Papierwerk', amount: 86.4, currency: 'EUR', reference: 'invoice 3117' }),
  [call('bank.balance', { account: 'operations' }), call('bank.balance', { account: 'savings' })].join('\n'),
  'And what was left last month?',
];
const releases = [
  call('deploy.status', { service: 'checkout' }),
  [call('deploy.status', { service: 'checkout' }), call('deploy.status', { service: 'search' })].join('\n'),
  'Is anything waiting to go out?',
];
const cleaning = [
  call('files.list', { path: '/shared/reports' }),
  call('files.list', { path: '/shared/archive' }),
  // A rule denies this one, and the agent is told so.
  call('files.list', { path: '/home' }),
  'Which folder is the largest?',
];
const customers = [
  call('crm.find_customer', { name: 'Harbour Supplies' }),
  // The tool says no.
  call('crm.find_customer', { name: 'x' }),
  // Its gate is only observed.
  call('crm.export_list', { list: 'newsletter' }),
  call('crm.find_customer', { name: 'Lindgren' }),
];

/** Conversations of several people that need nobody's word. Each line is a scene of its own. */
export const everyday: readonly Scene[] = [
  ['ann-orders', orders],
  ['bob-accounts', accounts],
  ['cara-releases', releases],
  ['dan-cleaning', cleaning],
  ['ann-customers', customers],
  ['bob-orders', orders],
  ['cara-accounts', accounts],
].flatMap(([session, lines]) =>
  (lines as string[]).map(
    (line): Scene =>
      async ({ door, named }) =>
        void (await door.say(named(session as string), line)),
  ),
);
