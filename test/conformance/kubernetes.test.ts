// deploy/kubernetes is valid for Kubernetes and consistent, and matches the gateway's settings, ports, health endpoints
// and time to drain.
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { parseSettings, settingNames } from '../../src/settings/settings.ts';
import { type Manifest, problemsOf } from '../support/kubernetes.ts';

const folder = 'deploy/kubernetes/base';
const files = globSync(`${folder}/*.yaml`).filter((name) => !name.endsWith('kustomization.yaml'));
const manifests = files.flatMap((name) => parseManifests(readFileSync(name, 'utf8')));
const ingress = parseManifests(readFileSync('deploy/kubernetes/example/ingress.yaml', 'utf8'));
const hasKustomize = spawnSync('kubectl', ['kustomize', '--help']).status === 0;
const settings = readEnv('settings.env');
const secrets = readEnv('secrets.env');

interface Labels {
  readonly 'app.kubernetes.io/name': string;
}
interface Deployment extends Manifest {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
}
interface PodSpec {
  readonly terminationGracePeriodSeconds: number;
  readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
  readonly containers: readonly [Container];
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly envFrom: readonly Readonly<Record<string, { readonly name: string }>>[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
}
interface Policy extends Manifest {
  readonly spec: {
    readonly ingress: readonly {
      readonly ports: readonly { readonly port: string }[];
      readonly from: readonly unknown[];
    }[];
  };
}

interface Ingress extends Manifest {
  readonly metadata: Manifest['metadata'] & { readonly annotations: NodeJS.Dict<string> };
  readonly spec: {
    readonly rules: readonly [{ readonly http: { readonly paths: readonly unknown[] } }];
  };
}

const deployment = find('Deployment') as Deployment;
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

describe('the schemas of Kubernetes', () => {
  test.each([...manifests, ...ingress])('accept the $kind "$metadata.name"', async (manifest) => {
    expect(await problemsOf(manifest)).toEqual([]);
  });

  test.runIf(hasKustomize).each(['base', 'example'])(
    'accept the output of kustomize for %s (if kubectl is installed)',
    async (name) => {
      const { stdout, stderr } = spawnSync('kubectl', ['kustomize', `deploy/kubernetes/${name}`], {
        encoding: 'utf8',
      });
      expect(stderr).toBe('');
      const made = parseManifests(stdout);
      expect(made.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining([...manifests.map(({ kind }) => kind), 'ConfigMap', 'Secret']),
      );
      for (const manifest of made) expect(await problemsOf(manifest)).toEqual([]);
    },
  );

  test('reject a wrong value and an unknown field', async () => {
    const wrong = structuredClone(deployment) as Manifest & { spec: Record<string, unknown> };
    Object.assign(wrong.spec, { replicas: 'three', minReadySecond: 5 });
    expect(await problemsOf(wrong)).toEqual([
      expect.stringContaining('data/spec/replicas must be integer'),
      '/spec/minReadySecond is no field of its schema',
    ]);
  });
});

describe('settings', () => {
  test('are each set either in the ConfigMap or in the Secret', () => {
    expect([...Object.keys(settings), ...Object.keys(secrets)].sort()).toEqual(
      settingNames.map(({ variable }) => variable).sort(),
    );
  });

  test('reach the container from the ConfigMap and the Secret', () => {
    expect(container.envFrom).toEqual([
      { configMapRef: { name: 'account-bff-settings' } },
      { secretRef: { name: 'account-bff-secrets' } },
    ]);
  });

  test('have their default values, except for the listening addresses and Redis', () => {
    const production = { NODE_ENV: 'production', UPSTREAM_URL: 'https://accounts.example' };
    expect(parseSettings({ ...settings, ...secrets, ...production })).toEqual({
      ...parseSettings(production),
      ...{ host: '0.0.0.0', adminHost: '0.0.0.0', redisUrl: 'redis://account-bff-redis:6379' },
    });
  });
});

test('the container ports are those of the settings, and only the monitoring namespace can reach the admin port', () => {
  expect(container.ports).toEqual([
    { name: 'graphql', containerPort: Number(settings['PORT']) },
    { name: 'admin', containerPort: Number(settings['ADMIN_PORT']) },
  ]);
  expect(find('Service')).toMatchObject({ spec: { ports: [{ targetPort: 'graphql' }] } });
  const ingress = (find('NetworkPolicy') as Policy).spec.ingress.map(({ ports, from }) => ({
    ports: ports.map(({ port }) => port),
    from,
  }));
  const monitoring = { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } };
  expect(ingress).toEqual([
    { ports: ['graphql'], from: [{ namespaceSelector: {} }] },
    { ports: ['admin'], from: [{ namespaceSelector: monitoring }] },
  ]);
});

test('probes use the health endpoints of the admin port', () => {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual([
    { path: '/health/live', port: 'admin' },
    { path: '/health/live', port: 'admin' },
    { path: '/health/ready', port: 'admin' },
  ]);
});

test('a pod has enough time to drain, and three more seconds to exit', () => {
  const drainMs = Number(settings['SHUTDOWN_DELAY_MS']) + Number(settings['SHUTDOWN_GRACE_MS']);
  const { seconds } = container.lifecycle.preStop.sleep;
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(seconds + drainMs / 1000 + 3);
});

test('every pod selector matches the pods of the Deployment', () => {
  const { labels } = deployment.spec.template.metadata;
  expect(deployment.spec.selector.matchLabels).toEqual(labels);
  expect(find('Service')).toMatchObject({ spec: { selector: labels } });
  expect(find('PodDisruptionBudget')).toMatchObject({
    spec: { selector: { matchLabels: labels } },
  });
  expect(find('NetworkPolicy')).toMatchObject({ spec: { podSelector: { matchLabels: labels } } });
  expect(find('HorizontalPodAutoscaler')).toMatchObject({
    spec: { scaleTargetRef: { kind: 'Deployment', name: deployment.metadata.name } },
  });
});

test('the ingress sends GraphQL to the Service, with the same settings for answers and idle connections as deploy/haproxy', () => {
  const [{ metadata, spec }] = ingress as [Ingress];
  const { name } = find('Service')?.metadata ?? {};
  const service = { name, port: { name: 'http' } };
  expect(spec.rules[0].http.paths).toEqual([
    { path: '/graphql', pathType: 'Exact', backend: { service } },
  ]);
  const setting =
    /^ *((?:compression|http-response|retry-on) .+|default-server pool-purge-delay \w+)/gm;
  const settingsOf = (text: string) =>
    [...text.matchAll(setting)].map(([, line]) => line?.trim()).sort();
  const snippet = metadata.annotations['haproxy.org/backend-config-snippet'] ?? '';
  expect(settingsOf(snippet)).toHaveLength(5);
  expect(settingsOf(snippet)).toEqual(
    settingsOf(readFileSync('deploy/haproxy/haproxy.cfg', 'utf8')),
  );
});

test('the container runs as the user of the image', () => {
  const [, user, group] = /^USER (\d+):(\d+)$/m.exec(readFileSync('Dockerfile', 'utf8')) ?? [];
  const { runAsUser, runAsGroup } = pod.securityContext;
  expect([runAsUser, runAsGroup]).toEqual([Number(user), Number(group)]);
});

function find(kind: string): Manifest | undefined {
  const found = manifests.find((one) => one.kind === kind && one.metadata.name === 'account-bff');
  expect(found, kind).toBeDefined();
  return found;
}

function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Manifest);
}

function readEnv(name: string): NodeJS.Dict<string> {
  return parseEnv(readFileSync(`${folder}/${name}`, 'utf8'));
}
