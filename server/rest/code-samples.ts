import type { JsonObject } from '../json-object.ts';
import { SERVER_URL } from '../served-document.ts';

interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  example?: unknown;
}
interface MediaType {
  schema?: JsonObject;
  example?: unknown;
}
/** The parts of an OpenAPI operation from which its samples are made. */
interface Operation {
  security?: readonly JsonObject[];
  parameters?: readonly Parameter[];
  requestBody?: { content: Record<string, MediaType> };
  responses: Record<string, { content?: Record<string, unknown> }>;
}
interface Request {
  method: string;
  url: string;
  needsToken: boolean;
  /** The request's media type; undefined if there is no body. */
  type: string | undefined;
  /** The example of the body, or the field of the file. */
  body: unknown;
  /** Whether the answer is JSON; undefined if there is no body. */
  answersJson: boolean | undefined;
}

const METHODS: ReadonlySet<string> = new Set(['get', 'put', 'post', 'patch', 'delete']);

/** A copy of an OpenAPI document, in which every operation has a sample for curl and one for TypeScript. */
export function withCodeSamples(document: JsonObject): JsonObject {
  const paths = Object.entries(document.paths as Record<string, Record<string, unknown>>).map(
    ([path, item]) => [
      path,
      Object.fromEntries(
        Object.entries(item).map(([method, operation]) => [
          method,
          METHODS.has(method)
            ? {
                ...(operation as object),
                'x-codeSamples': samplesOf(requestOf(path, method, operation as Operation)),
              }
            : operation,
        ]),
      ),
    ],
  );
  return { ...document, paths: Object.fromEntries(paths) };
}

const samplesOf = (request: Request): object[] => [
  { lang: 'Shell', label: 'curl', source: curlSample(request) },
  { lang: 'TypeScript', label: 'TypeScript', source: typeScriptSample(request) },
];

function requestOf(path: string, method: string, operation: Operation): Request {
  const parameters = operation.parameters ?? [];
  const filled = path.replaceAll(/\{(\w+)\}/g, (placeholder, name: string) => {
    const { example } = parameters.find((one) => one.in === 'path' && one.name === name) ?? {};
    return example === undefined ? placeholder : encodeURIComponent(textOf(example));
  });
  const query = parameters
    .filter((one) => one.in === 'query' && one.example !== undefined)
    .map(({ name, example }) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(example))}`);
  const content = operation.requestBody?.content ?? {};
  const type =
    Object.keys(content).find((one) => content[one]?.example !== undefined) ?? Object.keys(content)[0];
  const { content: answers } =
    Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1] ?? {};
  return {
    method: method.toUpperCase(),
    url: `${SERVER_URL}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    needsToken: !(operation.security ?? []).some((requirement) => Object.keys(requirement).length === 0),
    type,
    body: type === 'multipart/form-data' ? fileFieldOf(content[type]) : type && content[type]?.example,
    answersJson: answers && Object.keys(answers).some((one) => one.includes('json')),
  };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The field of a form that contains a file. */
const fileFieldOf = (form: MediaType | undefined): string =>
  Object.entries((form?.schema?.properties ?? {}) as Record<string, JsonObject>).find(([, schema]) =>
    JSON.stringify(schema).includes('contentMediaType'),
  )?.[0] ?? 'file';

function curlSample({ method, url, needsToken, type, body, answersJson }: Request): string {
  const data =
    type === undefined
      ? []
      : type === 'multipart/form-data'
        ? [`-F ${inShell(`${String(body)}=@picture.jpg`)}`]
        : [
            `-H ${inShell(`Content-Type: ${type}`)}`,
            type.includes('json') ? `-d ${inShell(JSON.stringify(body ?? {}))}` : '--data-binary @file',
          ];
  const isImplied = method === 'GET' || (method === 'POST' && type !== undefined);
  return [
    `curl ${isImplied ? '' : `-X ${method} `}${inShell(url)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...data,
    ...(answersJson === false ? ['-o answer'] : []),
  ].join(' \\\n  ');
}

const inShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function typeScriptSample({ method, url, needsToken, type, body, answersJson }: Request): string {
  const isForm = type === 'multipart/form-data';
  const headers = [
    ...(needsToken ? ['Authorization: `Bearer ${token}`'] : []),
    ...(type !== undefined && !isForm ? [`'Content-Type': ${inScript(type)}`] : []),
  ];
  const options = [
    ...(method === 'GET' ? [] : [`  method: ${inScript(method)},`]),
    ...(headers.length > 0 ? [`  headers: { ${headers.join(', ')} },`] : []),
    ...(type === undefined ? [] : [`  body: ${bodyInScript(type, body)},`]),
  ];
  return [
    ...(isForm ? ['const form = new FormData();', `form.append(${inScript(String(body))}, file);`] : []),
    `const answer = await fetch(${inScript(url)}${options.length > 0 ? `, {\n${options.join('\n')}\n}` : ''});`,
    'if (!answer.ok) throw new Error(await answer.text());',
    ...(answersJson === undefined ? [] : [`const result = await answer.${answersJson ? 'json' : 'blob'}();`]),
  ].join('\n');
}

function bodyInScript(type: string, body: unknown): string {
  if (type === 'multipart/form-data') return 'form';
  if (!type.includes('json')) return 'file';
  return `JSON.stringify(${JSON.stringify(body ?? {}, null, 2).replaceAll('\n', '\n  ')})`;
}

const inScript = (text: string): string =>
  `'${text.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`;
