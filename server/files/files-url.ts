import { fileURLToPath } from 'node:url';

/** Where uploaded files are stored, as `FILES_URL` names it. */
export type FilesPlace =
  | {
      readonly kind: 'folder';
      readonly folder: string;
      /** Whether the folder is on a volume that all replicas have mounted. */
      readonly isShared: boolean;
    }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** The beginning of all keys, without slashes around it; empty if the bucket belongs to the platform alone. */
      readonly prefix: string;
      readonly region: string | undefined;
      /** The server of an S3-compatible store; undefined for Amazon S3. */
      readonly endpoint: string | undefined;
      readonly forcePathStyle: boolean;
      /** How long one request may take until the store answers, and how long the store may pause within a file. */
      readonly timeoutMillis: number;
    };

const FORMS =
  'expected s3://bucket/prefix?region=...&endpoint=https://...&forcePathStyle=true, or file:///folder?shared=true';
const DEFAULT_TIMEOUT_MILLIS = 5_000; // 5 s

/** Reads a `FILES_URL`. @throws Error that says what was expected */
export function filesPlaceOf(text: string): FilesPlace {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'file:') return folderOf(url);
  if (url?.protocol === 's3:' && url.hostname) return bucketOf(url);
  throw new Error(FORMS);
}

function folderOf(url: URL): FilesPlace {
  const { shared } = parametersOf(url, ['shared']);
  if (url.hostname) throw new Error(`${FORMS}; file: takes three slashes, because it names no host`);
  return {
    kind: 'folder',
    folder: fileURLToPath(new URL(url.pathname, url)),
    isShared: flag('shared', shared),
  };
}

function bucketOf(url: URL): FilesPlace {
  if (url.username || url.password || url.port)
    throw new Error(
      `${FORMS}; credentials are not part of it: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use a role of the machine`,
    );
  const { region, endpoint, forcePathStyle, timeoutMillis } = parametersOf(url, [
    'region',
    'endpoint',
    'forcePathStyle',
    'timeoutMillis',
  ]);
  if (endpoint !== undefined && !/^https?:\/\/[^/]/.test(endpoint))
    throw new Error('expected endpoint=https://host or endpoint=http://host:port');
  const prefix = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '');
  if (prefix && !isKey(prefix))
    throw new Error('expected a prefix of letters, digits, "-", "_", "." and "/" after the bucket');
  return {
    kind: 's3',
    bucket: url.hostname,
    prefix,
    region,
    endpoint,
    forcePathStyle: flag('forcePathStyle', forcePathStyle),
    timeoutMillis: timeoutMillis === undefined ? DEFAULT_TIMEOUT_MILLIS : millis(timeoutMillis),
  };
}

/** The parameters of the URL. @throws Error for one that is unknown, because a wrong name would be ignored otherwise */
function parametersOf<Name extends string>(
  url: URL,
  known: readonly Name[],
): Partial<Record<Name, string | undefined>> {
  const unknown = [...url.searchParams.keys()].find((name) => !known.some((one) => one === name));
  if (unknown !== undefined)
    throw new Error(`${url.protocol} takes the parameters ${known.join(', ')}, got "${unknown}"`);
  return Object.fromEntries(known.map((name) => [name, url.searchParams.get(name) ?? undefined])) as Record<
    Name,
    string | undefined
  >;
}

function flag(name: string, value: string | undefined): boolean {
  if (value === undefined || value === 'false') return false;
  if (value === 'true') return true;
  throw new Error(`expected ${name}=true or ${name}=false`);
}

function millis(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 100 || value > 60_000)
    throw new Error('expected timeoutMillis from 100 to 60000');
  return value;
}

/** Whether a text is safe as a key: no empty part, and no part that leads to another folder. */
export const isKey = (key: string): boolean => /^(?!\.)[\w.-]+(\/(?!\.)[\w.-]+)*$/.test(key);
