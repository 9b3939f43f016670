import { isDeepStrictEqual } from 'node:util';
import { declarationOf, isEventType } from '#server/events/event-types.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { referencesIn, withReferences } from './json-references.ts';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';
import type { ServiceDocument } from './service-documents.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

type Sections = Record<string, Record<string, unknown>>;

/** A service whose document is available. */
type Part = { service: ServiceName; document: JsonObject };

/**
 * One OpenAPI document for several services behind the gateway: paths have the service's prefix, operation ids begin with
 * the service, and each service is a tag. A component that is equal in all services keeps its name. If components of the
 * same name differ, each is renamed to `<service>.<name>`.
 * @param own the gateway's own info, tags, paths and components
 */
export function mergeOpenApi(own: JsonObject, services: readonly ServiceDocument[]): JsonObject {
  const parts = services.filter((part): part is ServiceDocument & Part => part.document !== undefined);
  const nameOf = componentNames(parts);
  const renamed = (part: Part) =>
    withReferences(part.document, (reference) => {
      const [, section, name] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
      return section && name ? `#/components/${section}/${nameOf(part.service, section, name)}` : reference;
    });

  const paths: JsonObject = { ...(own.paths as JsonObject) };
  const webhooks: JsonObject = {};
  const components: Sections = structuredClone((own.components ?? {}) as Sections);
  for (const part of parts) {
    const { service } = part;
    const document = renamed(part);
    for (const [path, item] of Object.entries((document.paths ?? {}) as Record<string, JsonObject>))
      paths[`/${service}${path === '/' ? '' : path}`] = prefixed(item, service);
    for (const [type, item] of Object.entries((document.webhooks ?? {}) as Record<string, JsonObject>))
      if (isWrittenBy(type, service)) webhooks[type] = withOtherWriter(webhooks[type], item);
    for (const [section, entries] of Object.entries((document.components ?? {}) as Sections))
      for (const [name, component] of Object.entries(entries))
        (components[section] ??= {})[nameOf(service, section, name)] ??= component;
  }
  return {
    ...own,
    tags: [...(own.tags as unknown[]), ...services.map(tagOf)],
    paths,
    ...(Object.keys(webhooks).length > 0 && { webhooks }),
    components,
  };
}

/** Whether the document of this service describes data of this type of events. */
const isWrittenBy = (type: string, service: ServiceName): boolean =>
  isEventType(type) && declarationOf(type).writers.includes(service);

/** The webhook of a type of events that several services write: its data has one of their schemas. */
function withOtherWriter(known: unknown, added: JsonObject): JsonObject {
  if (!isJsonObject(known)) return added;
  const merged = structuredClone(known) as unknown as Webhook;
  const { content } = merged.post.requestBody;
  const schemas = [known, added].map(
    (item) => (item as unknown as Webhook).post.requestBody.content['application/json'].schema,
  );
  content['application/json'].schema = { anyOf: schemas };
  return merged as unknown as JsonObject;
}

/** The part of a webhook's path item that `webhooksObject` of the services writes. */
interface Webhook {
  post: { requestBody: { content: { 'application/json': { schema: unknown } } } };
}

const tagOf = ({ service, document, state }: ServiceDocument): JsonObject => {
  const { title, description } = (document?.info ?? {}) as { title?: string; description?: string };
  const note = {
    current: '',
    'last known': ' The service does not answer; this is its last known document.',
    missing: '',
  };
  return {
    name: service,
    description: document
      ? `${title ?? service}. ${description ?? ''}${note[state]}`
      : 'The service does not answer, and its routes are not known yet; ask again in a moment.',
    externalDocs: { description: 'This service alone', url: `${service}/docs` },
  };
};

const prefixed = (item: JsonObject, service: ServiceName): JsonObject =>
  Object.fromEntries(
    Object.entries(item).map(([key, value]) =>
      METHODS.has(key) ? [key, operationOf(value as JsonObject, service)] : [key, value],
    ),
  );

function operationOf(operation: JsonObject, service: ServiceName): JsonObject {
  const id = String(operation.operationId);
  return {
    ...operation,
    operationId: `${service}${id.charAt(0).toUpperCase()}${id.slice(1)}`,
    tags: [service],
    responses: { ...GATEWAY_RESPONSES, ...(operation.responses as JsonObject) },
  };
}

const GATEWAY_RESPONSES = Object.fromEntries(
  [
    [503, '`UPSTREAM_UNAVAILABLE`: the service does not answer'],
    [504, '`UPSTREAM_TIMEOUT`: the service takes too long'],
  ].map(([status, description]) => [
    status,
    { description, content: { 'application/problem+json': { schema: { type: 'object' } } } },
  ]),
);

/** The names of the services' components in the merged document. */
function componentNames(
  parts: readonly Part[],
): (service: ServiceName, section: string, name: string) => string {
  const definitions = new Map<string, unknown[]>(); // by `section/name`
  for (const { document } of parts)
    for (const [section, entries] of Object.entries((document.components ?? {}) as Sections))
      for (const [name, component] of Object.entries(entries)) {
        // Operations refer to these by name, without `$ref`, so they cannot be renamed; they are equal in all services.
        if (section === 'securitySchemes') continue;
        const id = `${section}/${name}`;
        definitions.set(id, [...(definitions.get(id) ?? []), component]);
      }
  const differing = new Set(
    [...definitions]
      .filter(([, [first, ...others]]) => others.some((other) => !isDeepStrictEqual(first, other)))
      .map(([id]) => id),
  );
  // Components with equal texts count as different, too, if they refer to a component that differs.
  for (let before = -1; before !== differing.size;) {
    before = differing.size;
    for (const [id, all] of definitions)
      if (
        all.length > 1 &&
        referencesIn(all[0]).some((ref) => differing.has(ref.replace('#/components/', '')))
      )
        differing.add(id);
  }
  return (service, section, name) => (differing.has(`${section}/${name}`) ? `${service}.${name}` : name);
}

/** The state of each service's document, for readers of the merged document and for monitoring. */
export const completeness = (services: readonly ServiceDocument[]): JsonObject[] =>
  services
    .toSorted((a, b) => SERVICE_NAMES.indexOf(a.service) - SERVICE_NAMES.indexOf(b.service))
    .map((part) => ({
      name: part.service,
      state: part.state,
      ...(part.state === 'last known' && { readAt: part.readAt.toISOString() }),
    }));
