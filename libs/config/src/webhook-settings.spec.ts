import { loadConfig, type ConfigError } from './index.js';

const endpoint = { name: 'desk', url: 'https://hooks.example/a', secrets: ['${env:DESK_SECRET}'] };
const load = (endpoints: unknown, link?: string) =>
  loadConfig({
    cwd: '/nowhere',
    env: { DOORLEDGER_WEBHOOKS_ENDPOINTS: JSON.stringify(endpoints), ...(link !== undefined && { DOORLEDGER_WEBHOOKS_LINK: link }) },
  });
function problemOf(...given: Parameters<typeof load>): string {
  try {
    load(...given);
  } catch (error) {
    return (error as ConfigError).message;
  }
  return '';
}

it('N54 takes endpoints with https, or on this machine, and prints neither addresses nor secrets', () => {
  const endpoints = [
    { ...endpoint, events: ['waiting', 'outcome'], tenant: '*' },
    { ...endpoint, name: 'here', url: 'http://127.0.0.1:9000/' },
    { ...endpoint, name: 'six', url: 'http://[::1]:9000/', secrets: ['${file:new}', '${env:OLD}'] },
  ];
  const config = load(endpoints, 'https://desk.example/{requestId}?turn={turnId}');
  expect(config.webhooks.endpoints).toEqual(endpoints);
  expect(JSON.stringify(config)).not.toMatch(/hooks\.example|DESK_SECRET/);
});

it('N54 refuses an endpoint that others could listen in on, an open secret, and what it does not know; without a value', () => {
  const wrong: [object, RegExp][] = [
    [{ url: 'http://hooks.example/canary' }, /the url of desk must begin with https/],
    [{ url: 'https://user:canary@hooks.example/' }, /the url of desk/],
    [{ url: 'ftp://hooks.example/canary' }, /the url of desk/],
    [{ url: 'http://127.0.0.1.hooks.example/canary' }, /the url of desk/],
    [{ secrets: ['whsec_canary'] }, /secrets must come from \$\{env:NAME\}/],
    [{ secrets: [] }, /\/0\/secrets/],
    [{ events: ['canary'] }, /\/0\/events/],
    [{ header: 'canary' }, /unexpected property/],
  ];
  for (const [more, why] of wrong) {
    const problem = problemOf([{ ...endpoint, ...more }]);
    expect(problem).toMatch(why);
    expect(problem).not.toContain('canary');
  }
  expect(problemOf([endpoint, endpoint])).toMatch(/desk is there twice/);
});

it('N54 takes no link that is not safe, or has a place that nothing fills', () => {
  for (const link of ['http://desk.example/{requestId}', 'https://desk.example/{session}', 'desk/{requestId}'])
    expect(problemOf([endpoint], link)).toMatch(/webhooks\.link must be an address/);
});
