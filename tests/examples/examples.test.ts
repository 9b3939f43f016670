import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { ApiExample, ApiExamples } from '#server/rest/examples.ts';
import { openApiDocument } from '#server/rest/openapi.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { subgraphs } from '../../subgraphs/index.ts';
import { startPlatform, type TestPlatform } from '../support/platform.ts';
import { commonExamples } from './common.ts';
import { recordingOf } from './recorder.ts';
import { SCENARIOS } from './scenarios.ts';

const fileOf = (service: ServiceName) => new URL(`../../subgraphs/${service}/examples.json`, import.meta.url);
/** `npm run examples` replaces the files. */
const isRecording = process.env.RECORD_EXAMPLES === '1';

let platform: TestPlatform;
const fresh = new Map<ServiceName, Record<string, ApiExample>>();
beforeAll(async () => {
  platform = await startPlatform({ services: SERVICE_NAMES, env: { WIZARD_DEPLOYMENT_RETRY_MILLIS: '100' } });
  const now = new Date();
  for (const [service, scenario] of Object.entries(SCENARIOS) as [ServiceName, (typeof SCENARIOS)['gym']][]) {
    const recording = recordingOf(platform, service, now);
    const { examples, recorder } = recording;
    await commonExamples(recording, fresh.get('content') ?? {});
    await scenario(recorder);
    const sorted = Object.fromEntries(Object.entries(examples).toSorted(([a], [b]) => (a < b ? -1 : 1)));
    fresh.set(service, sorted);
    if (isRecording) await writeFile(fileOf(service), `${JSON.stringify(sorted, null, 2)}\n`);
  }
});
afterAll(() => platform?.stop());

const stored = async (service: ServiceName): Promise<ApiExamples> =>
  JSON.parse(await readFile(fileOf(service), 'utf8')) as ApiExamples;

/** The paths of the fields in a value; a list has the fields of all its items. A null may have any type in another run. */
function fieldsOf(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => fieldsOf(item, `${path}[]`)))];
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, inner]) => [path, ...fieldsOf(inner, `${path}.${key}`)]);
}
/** The fields that only one of two values has, below a field that both have as an object. */
function differences(a: unknown, b: unknown): string[] {
  const [ofA, ofB] = [new Set(fieldsOf(a)), new Set(fieldsOf(b))];
  const parent = (path: string) => path.replace(/(\.[^.[]+|\[\])$/, '');
  const isEmpty = (paths: Set<string>, path: string) =>
    ![...paths].some((one) => one.startsWith(path) && one !== path);
  const differing = [
    ...[...ofA].filter((path) => !ofB.has(path)),
    ...[...ofB].filter((path) => !ofA.has(path)),
  ];
  return differing.filter((path) => !isEmpty(ofA, parent(path)) && !isEmpty(ofB, parent(path)));
}

describe.each(subgraphs)('the examples of $name', ({ name, title, description, rest }) => {
  it('are there for every operation, and for nothing else', async () =>
    expect(Object.keys(await stored(name)).toSorted()).toEqual(
      rest.map(({ operationId }) => operationId).toSorted(),
    ));

  it('have the fields, the status and the media type of the present requests and answers', async () => {
    const examples = await stored(name);
    for (const [id, { request, answer }] of Object.entries(fresh.get(name) ?? {})) {
      const { request: before, answer: answerBefore } = examples[id] ?? { answer: { status: 0 } };
      expect({ id, status: answerBefore.status, type: answerBefore.type }).toEqual({
        id,
        status: answer.status,
        type: answer.type,
      });
      expect({ id, differences: differences(before, request) }).toEqual({ id, differences: [] });
      expect({ id, differences: differences(answerBefore.body, answer.body) }).toEqual({
        id,
        differences: [],
      });
    }
  });

  it('have the declared shapes', async () => {
    const document = openApiDocument({ title, description }, rest);
    const ajv = addFormats.default(new Ajv2020({ strict: false, allErrors: true }));
    ajv.addSchema({ $id: 'https://document.test/', ...document });
    const examples = await stored(name);
    const escaped = (part: string) => part.replaceAll('~', '~0').replaceAll('/', '~1');
    const errorsOf = (pointer: string, value: unknown): string[] => {
      const validate = ajv.getSchema(`https://document.test/#${pointer}/schema`);
      if (!validate) return [`the document has no ${pointer}`];
      return validate(value) === true ? [] : [`${pointer}: ${ajv.errorsText(validate.errors)}`];
    };
    const errors = rest.flatMap(({ operationId, path, method }) => {
      const { request, answer } = examples[operationId]!;
      const operation = `/paths/${escaped(path.replaceAll(/:(\w+)/g, '{$1}'))}/${method.toLowerCase()}`;
      return [
        ...(request.type && request.type !== 'text/csv'
          ? errorsOf(`${operation}/requestBody/content/${escaped(request.type)}`, request.body)
          : []),
        ...(answer.type?.includes('json')
          ? errorsOf(`${operation}/responses/${answer.status}/content/${escaped(answer.type)}`, answer.body)
          : []),
      ];
    });
    expect(errors).toEqual([]);
  });
});

describe('examples that readers try', () => {
  it('name exercises of the library, which every installation has', async () => {
    const examples = await stored('content');
    for (const id of ['createWorkout', 'logTraining']) {
      const text = JSON.stringify(examples[id]?.request.body);
      const named = [...text.matchAll(/"exerciseId":"([^"]+)"/g)].map(([, one]) => one);
      expect({ id, named }).toEqual({ id, named: named.map(() => expect.stringMatching(/^01900000-0e00-/)) });
      expect(named).not.toEqual([]);
    }
  });

  it('create an announcement that is not over', async () => {
    const { createAnnouncement } = await stored('gym');
    const body = createAnnouncement?.request.body as { endsAt: string } | undefined;
    expect(Date.parse(body?.endsAt ?? '')).toBeGreaterThan(Date.now());
  });
});
