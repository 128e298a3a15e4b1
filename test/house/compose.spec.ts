import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { settings } from '@doorledger/config';

interface Service {
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly healthcheck?: object;
  readonly command?: readonly string[];
}

const at = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const compose = parse(at('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
};
const services = Object.entries(compose.services);
const known = new Set(settings.map(({ env }) => env));

it('docker-compose.yml sets only variables that the configuration knows', () => {
  const used = services.flatMap(([, { environment = {} }]) => Object.keys(environment)).filter((name) => name.startsWith('DOORLEDGER_'));
  expect(used.length).toBeGreaterThan(0);
  for (const name of used) expect([name, known.has(name)]).toEqual([name, true]);
});

it('the image sets only variables that the configuration knows, and does not run as root', () => {
  const dockerfile = at('Dockerfile');
  for (const [name] of dockerfile.matchAll(/DOORLEDGER_[A-Z_]+/g)) expect([name, known.has(name)]).toEqual([name, true]);
  expect(dockerfile).toMatch(/^USER node$/m);
});

it('docker-compose.yml starts three brokers, a database, two hosts and two projectors, and looks after their health', () => {
  expect(services.map(([name]) => name)).toEqual(
    expect.arrayContaining(['kafka-1', 'kafka-2', 'kafka-3', 'postgres', 'host-1', 'host-2', 'projector-1', 'projector-2', 'door']),
  );
  for (const [name, { healthcheck, command }] of services)
    if (name !== 'door' && command?.[0] !== 'topics') expect([name, healthcheck !== undefined]).toEqual([name, true]);
});

it('docker-compose.yml puts every host and every projector, and nobody else, behind a load balancer without stickiness', () => {
  const { door } = compose.configs;
  expect(door!.content).not.toMatch(/sticky|ip_hash|hash /);
  for (const command of ['host', 'projector']) {
    const running = services.filter(([, service]) => service.command?.[0] === command).map(([name]) => name);
    const [, upstream = ''] = new RegExp(`upstream ${command}s \\{(.*)\\}`).exec(door!.content)!;
    expect(Array.from(upstream.matchAll(/server ([\w-]+):/g), ([, name]) => name)).toEqual(running);
  }
});
