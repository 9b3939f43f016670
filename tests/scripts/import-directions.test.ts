import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { whyForbidden } from '../../scripts/lint/import-directions.mjs';

const root = path.join(import.meta.dirname, '../..');

describe('the rules of imports', () => {
  it.each([
    ['server/http/listen.ts', '../errors.ts'],
    ['server/http/listen.ts', '#server/errors.ts'],
    ['server/http/listen.ts', 'express'],
    ['gateway/rest/proxy.ts', '#server/errors.ts'],
    ['gateway/rest/proxy.ts', '../limits.ts'],
    ['gateway/main.ts', '../schema/supergraph.ts'],
    ['subgraphs/gym/locations/location.entity.ts', '../gyms/gym.entity.ts'],
    ['subgraphs/gym/locations/locations.shapes.ts', './location.entity.ts'],
    ['subgraphs/gym/locations/locations.shapes.ts', './opening-hours.ts'],
    ['subgraphs/gym/locations/location.entity.ts', './opening-hours.ts'],
    ['subgraphs/gym/locations/locations.ts', './locations.shapes.ts'],
    ['subgraphs/gym/locations/locations.ts', '../gyms/gyms.ts'],
    ['subgraphs/gym/locations/locations.ts', '#server/errors.ts'],
    ['subgraphs/gym/locations/locations.graphql.ts', 'graphql'],
    ['subgraphs/gym/locations/locations.graphql.ts', '../resolvers.generated.ts'],
    ['subgraphs/gym/locations/locations.rest.ts', '../services.ts'],
    ['subgraphs/gym/services.ts', './locations/locations.ts'],
    ['subgraphs/gym/subgraph.ts', './locations/locations.rest.ts'],
    ['subgraphs/gym/main.ts', './subgraph.ts'],
    ['main.ts', './subgraphs/gym/subgraph.ts'],
    ['tests/gym/locations.test.ts', '../../subgraphs/gym/subgraph.ts'],
  ])('allow %s to import %s', (file, specifier) => expect(whyForbidden(file, specifier)).toBeUndefined());

  it.each([
    [
      'server/http/listen.ts',
      '../../gateway/limits.ts',
      /server\/ imports nothing from the repository's other folders/,
    ],
    [
      'server/errors.ts',
      '../subgraphs/gym/subgraph.ts',
      /imports nothing from the repository's other folders/,
    ],
    ['server/errors.ts', '../schema/gym.graphql', /imports nothing from the repository's other folders/],
    ['gateway/main.ts', '../subgraphs/gym/subgraph.ts', /gateway\/ imports #server/],
    ['gateway/main.ts', '../server/errors.ts', /Import it as #server\/errors\.ts/],
    ['subgraphs/gym/gyms/gyms.ts', '../../nutrition/logs/logs.ts', /itself; got subgraphs\/nutrition/],
    ['subgraphs/gym/services.ts', '../content/services.ts', /itself; got subgraphs\/content/],
    ['subgraphs/gym/gyms/gyms.ts', '../../../gateway/main.ts', /itself; got gateway/],
    ['subgraphs/gym/gyms/gyms.ts', '../../../server/errors.ts', /Import it as #server\/errors\.ts/],
    ['subgraphs/gym/gyms/gym.entity.ts', './gyms.ts', /An entity may not import/],
    ['subgraphs/gym/gyms/gym.entity.ts', './gyms.rest.ts', /An entity may not import/],
    ['subgraphs/gym/gyms/gym.entity.ts', './gyms.shapes.ts', /An entity may not import/],
    ['subgraphs/gym/gyms/gyms.shapes.ts', './gyms.ts', /Shapes may not import/],
    ['subgraphs/squad/squads/hub.ts', './squads.socket.ts', /A file of the domain may not import/],
    ['subgraphs/squad/squads/hub.ts', 'ws', /only doors may/],
    ['subgraphs/gym/gyms/gyms.ts', './gyms.graphql.ts', /A rule may not import/],
    ['subgraphs/gym/gyms/gyms.ts', '../resolvers.generated.ts', /A rule may not import/],
    ['subgraphs/gym/gyms/gyms.ts', '../subgraph.ts', /A rule may not import/],
    ['subgraphs/gym/gyms/gyms.ts', '../services.ts', /may not import services\.ts/],
    ['subgraphs/gym/gyms/gyms.ts', 'express', /only doors may/],
    ['subgraphs/gym/gyms/gyms.ts', 'graphql', /only doors may/],
    ['subgraphs/gym/gyms/gyms.ts', 'graphql/language', /only doors may/],
    ['subgraphs/gym/gyms/gyms.ts', 'ws', /only doors may/],
    ['subgraphs/gym/gyms/gyms.ts', '#server/rest/route.ts', /only doors may/],
    ['subgraphs/gym/gyms/gyms.rest.ts', '../subgraph.ts', /A door may not import/],
    ['subgraphs/gym/services.ts', './subgraph.ts', /shared file may not import/],
    ['subgraphs/gym/subgraph.ts', './main.ts', /subgraph\.ts may not import/],
  ])('forbid %s to import %s', (file, specifier, message) =>
    expect(whyForbidden(file, specifier)).toMatch(message),
  );

  it('are checked by the linter in imports, exports, import() and types', async () => {
    const folder = path.join(root, 'subgraphs', '.lint-probe', 'probes');
    fs.mkdirSync(folder, { recursive: true });
    try {
      fs.writeFileSync(
        path.join(folder, 'probes.ts'),
        `import '../../gym/subgraph.ts';
export * from '../../../gateway/main.ts';
export { probe } from './probes.rest.ts';
export const later = () => import('../subgraph.ts');
export type Later = import('../subgraph.ts').Later;
`,
      );
      const oxlint = path.join(root, 'node_modules/oxlint/bin/oxlint');
      const failure = (await promisify(execFile)(process.execPath, [oxlint, '-f', 'unix', folder], {
        cwd: root,
      }).catch((error: unknown) => error)) as { stdout: string };
      const found = failure.stdout.split('\n').filter((line) => line.includes('import-directions'));
      expect(found.map((line) => /probes\.ts:(\d+)/.exec(line)?.[1])).toEqual(['1', '2', '3', '4', '5']);
    } finally {
      fs.rmSync(path.dirname(folder), { recursive: true, force: true });
    }
  });
});
