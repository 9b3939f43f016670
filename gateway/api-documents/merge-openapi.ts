import { isDeepStrictEqual } from 'node:util';
import { declarationOf, isEventType } from '#server/events/event-types.ts';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { referencesIn, withReferences } from './json-references.ts';
import { isJsonObject, type JsonObject } from '#server/json-object.ts';
import { withCodeSamples } from '#server/rest/code-samples.ts';
import type { ServiceDocument } from './service-documents.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

type Sections = Record<string, Record<string, unknown>>;

/** A service whose document is available. */
type Part = { service: ServiceName; document: JsonObject };

interface Tag {
  name: string;
  description: string;
}
interface TagGroup {
  name: string;
  tags: string[];
}

/**
 * One OpenAPI document for several services behind the gateway: paths have the service's prefix, and the tags of each
 * service are a group. A component that is equal in all services keeps its name. If components of the same name differ, each
 * is renamed to `<service>.<name>`; an operation id that several services have is prefixed with the service.
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
  const idOf = operationIds(parts);

  const paths: JsonObject = { ...(own.paths as JsonObject) };
  const webhooks: JsonObject = {};
  const components: Sections = structuredClone((own.components ?? {}) as Sections);
  for (const part of parts) {
    const { service } = part;
    const document = renamed(part);
    for (const [path, item] of Object.entries((document.paths ?? {}) as Record<string, JsonObject>))
      paths[`/${service}${path === '/' ? '' : path}`] = prefixed(item, (id) => idOf(service, id));
    for (const [type, item] of Object.entries((document.webhooks ?? {}) as Record<string, JsonObject>))
      if (isWrittenBy(type, service)) webhooks[type] = withOtherWriter(webhooks[type], item);
    for (const [section, entries] of Object.entries((document.components ?? {}) as Sections))
      for (const [name, component] of Object.entries(entries))
        (components[section] ??= {})[nameOf(service, section, name)] ??= component;
  }
  const info = own.info as { description: string };
  return withCodeSamples({
    ...own,
    info: {
      ...info,
      description: [info.description, ...services.flatMap(noteOf)].join('\n\n'),
    },
    ...groupedTags(own.tags as Tag[], parts),
    paths,
    ...(Object.keys(webhooks).length > 0 && { webhooks }),
    components,
  });
}

/** Whether the service writes events of this type: only the documents of such services describe the data. */
const isWrittenBy = (type: string, service: ServiceName): boolean =>
  isEventType(type) && declarationOf(type).writers.includes(service);

/** The webhook of a type of events that several services write: its data has one of their schemas. */
function withOtherWriter(known: unknown, added: JsonObject): JsonObject {
  if (!isJsonObject(known)) return added;
  // The casts: the services write these items with `webhooksObject`, and a parsed document has no types.
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

/** What a reader must know if the document of a service is not up to date. */
const noteOf = ({ service, state }: ServiceDocument): string[] => {
  const notes = {
    current: [],
    'last known': [
      `The ${service} service does not answer; its operations are those of its last known document.`,
    ],
    missing: [
      `The ${service} service does not answer, and its operations are not known yet; ask again in a moment.`,
    ],
  };
  return notes[state];
};

/** The tags of all services, and which service has which. Tags that several services have are a group of their own. */
function groupedTags(
  own: readonly Tag[],
  parts: readonly Part[],
): { tags: Tag[]; 'x-tagGroups': TagGroup[] } {
  const tags = new Map(own.map((tag) => [tag.name, tag]));
  const groups: TagGroup[] = [{ name: 'Gateway', tags: own.map(({ name }) => name) }];
  const owners = new Map<string, number>();
  for (const { document } of parts)
    for (const tag of (document.tags ?? []) as Tag[]) {
      tags.set(tag.name, tag);
      owners.set(tag.name, (owners.get(tag.name) ?? 0) + 1);
    }
  for (const { service, document } of parts) {
    const names = ((document.tags ?? []) as Tag[]).map(({ name }) => name);
    groups.push({
      name: service.charAt(0).toUpperCase() + service.slice(1),
      tags: names.filter((name) => owners.get(name) === 1),
    });
  }
  const shared = [...owners].filter(([, count]) => count > 1).map(([name]) => name);
  if (shared.length > 0) groups.push({ name: 'All services', tags: shared });
  return { tags: [...tags.values()], 'x-tagGroups': groups.filter((group) => group.tags.length > 0) };
}

const operationsIn = (item: JsonObject): [method: string, operation: JsonObject][] =>
  Object.entries(item).filter(([key]) => METHODS.has(key)) as [string, JsonObject][];

/** The names of the services' operations in the merged document. */
function operationIds(parts: readonly Part[]): (service: ServiceName, id: string) => string {
  const counts = new Map<string, number>();
  for (const { document } of parts)
    for (const item of Object.values((document.paths ?? {}) as Record<string, JsonObject>))
      for (const [, { operationId }] of operationsIn(item))
        counts.set(String(operationId), (counts.get(String(operationId)) ?? 0) + 1);
  return (service, id) =>
    (counts.get(id) ?? 0) > 1 ? `${service}${id.charAt(0).toUpperCase()}${id.slice(1)}` : id;
}

const prefixed = (item: JsonObject, idOf: (id: string) => string): JsonObject => ({
  ...item,
  ...Object.fromEntries(
    operationsIn(item).map(([method, operation]) => [
      method,
      { ...operation, operationId: idOf(String(operation.operationId)) },
    ]),
  ),
});

/** The names of the services' components in the merged document. */
function componentNames(
  parts: readonly Part[],
): (service: ServiceName, section: string, name: string) => string {
  const definitions = new Map<string, unknown[]>(); // by `section/name`
  for (const { document } of parts)
    for (const [section, entries] of Object.entries((document.components ?? {}) as Sections))
      for (const [name, component] of Object.entries(entries)) {
        // Operations refer to security schemes by name, without `$ref`, so these cannot be renamed; all services have equal ones.
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
