import { readFileSync, readdirSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { loadConfig, peersOf, settings } from '@doorledger/config';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Env {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name: string; readonly key: string };
    readonly fieldRef?: { readonly fieldPath: string };
  };
}
interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env: readonly Env[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
  readonly resources: { readonly requests: object; readonly limits: { readonly memory: string } };
  readonly securityContext: object;
}
interface Pod {
  readonly terminationGracePeriodSeconds?: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly containers: readonly Container[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly clusterIP?: string;
    readonly maxUnavailable?: number;
    readonly selector?: Readonly<Record<string, unknown>> & { readonly matchLabels?: object };
    readonly ports?: readonly { readonly port: number; readonly targetPort: string }[];
    readonly template?: { readonly metadata: { readonly labels: object }; readonly spec: Pod };
  };
}

const folder = new URL('../../deploy/kubernetes/', import.meta.url);
const read = (name: string) => parseAllDocuments(readFileSync(new URL(name, folder), 'utf8')).map((one) => one.toJS() as Manifest);
const files = readdirSync(folder).filter((name) => name !== 'kustomization.yaml');
const manifests = files.flatMap(read);
const named = (kind: string, name: string) => manifests.find((one) => one.kind === kind && one.metadata.name === name)!;
const hosts = named('StatefulSet', 'doorledger-host');
const projectors = named('Deployment', 'doorledger-projector');
const pods = manifests.flatMap(({ metadata, spec }) => (spec?.template ? [{ name: metadata.name, pod: spec.template.spec }] : []));
const shared = named('ConfigMap', 'doorledger').data!;

/** What a container is started with, its secrets and its pod's name made up. */
function environment({ env, envFrom }: Container, podName: string): Record<string, string> {
  expect(envFrom.map(({ configMapRef }) => configMapRef.name)).toEqual(['doorledger']);
  const secret: Record<string, string> = { DOORLEDGER_KEY: 'a'.repeat(64), DOORLEDGER_DATABASE_URL: 'postgres://user@database/doorledger' };
  return {
    ...shared,
    ...Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? (valueFrom?.fieldRef ? podName : secret[name]!)])),
  };
}
const configOf = (container: Container, podName: string) =>
  loadConfig({ cwd: '/nowhere', env: { ...environment(container, podName), DOORLEDGER_HOST: '0.0.0.0' } });

it('the manifests are all listed', () => {
  const { resources } = parseAllDocuments(readFileSync(new URL('kustomization.yaml', folder), 'utf8'))[0]!.toJS() as {
    resources: string[];
  };
  expect(resources.sort()).toEqual(files.sort());
});

it.each(pods)('$name sets only variables that the configuration knows, no secret in the open, and starts with them', ({ name, pod }) => {
  const known = new Map(settings.map((setting) => [setting.env, setting]));
  for (const container of pod.containers) {
    for (const variable of [...container.env.map((one) => one.name), ...Object.keys(shared)])
      expect([variable, known.has(variable)]).toEqual([variable, true]);
    for (const { name: variable, valueFrom } of container.env)
      if (known.get(variable)!.secret) expect(valueFrom?.secretKeyRef).toEqual({ name: 'doorledger', key: variable });
    for (const variable of Object.keys(shared)) expect(known.get(variable)!.secret).toBeUndefined();
    expect(configOf(container, `${name}-0`)).toMatchObject({ log: 'kafka', store: 'postgres' });
  }
});

it('L6 names each replica of the hosts as a peer, by the name its pod has and the address its service gives', () => {
  const { replicas, serviceName, template } = hosts.spec;
  const [container] = template!.spec.containers;
  const ids = Array.from({ length: replicas! }, (_, n) => `doorledger-host-${n}`);
  for (const id of ids) {
    const config = configOf(container!, id);
    expect(config.hostId).toBe(id);
    expect([...peersOf(config)]).toEqual(ids.filter((one) => one !== id).map((one) => [one, `http://${one}.${serviceName}:8080`]));
  }
  const service = named('Service', serviceName!);
  expect([service.spec.clusterIP, service.spec.ports![0]!.port, service.spec.selector]).toEqual(['None', 8080, template!.metadata.labels]);
});

it.each([hosts, projectors])('D2 asks $metadata.name for its health at the port that it listens on', ({ spec }) => {
  const [container] = spec.template!.spec.containers;
  const { name, containerPort } = container!.ports![0]!;
  const { port, projectorPort } = configOf(container!, 'pod');
  expect(containerPort).toBe(container!.args[0] === 'host' ? port : projectorPort);
  const paths = [container!.startupProbe, container!.livenessProbe, container!.readinessProbe].map((probe) => probe!.httpGet);
  expect(paths).toEqual(['/health', '/health', '/ready'].map((path) => ({ path, port: name })));
});

it.each([hosts, projectors])(
  'R2 gives $metadata.name time to drain, after load balancers have heard of it, and never ends two at once',
  ({ metadata, spec }) => {
    const { containers, terminationGracePeriodSeconds } = spec.template!.spec;
    const { closeTimeoutMs } = configOf(containers[0]!, 'pod');
    const [command, seconds] = containers[0]!.lifecycle!.preStop.exec.command;
    expect([command, Number(seconds) > 0]).toEqual(['sleep', true]);
    expect(terminationGracePeriodSeconds! * 1000).toBeGreaterThanOrEqual(Number(seconds) * 1000 + closeTimeoutMs + 10_000);
    const budget = named('PodDisruptionBudget', metadata.name);
    expect([budget.spec.maxUnavailable, budget.spec.selector!.matchLabels]).toEqual([1, spec.template!.metadata.labels]);
  },
);

it.each(pods)('$name has no rights that it does not need, and bounded memory', ({ pod }) => {
  expect(pod).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  for (const { securityContext, resources } of pod.containers) {
    expect(securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    expect([Object.keys(resources.requests), typeof resources.limits.memory]).toEqual([['cpu', 'memory'], 'string']);
  }
});
