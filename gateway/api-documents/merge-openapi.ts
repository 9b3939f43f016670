import { isDeepStrictEqual } from 'node:util';
import { SERVICE_NAMES, type ServiceName } from '#server/settings.ts';
import { referencesIn, withReferences } from './references.ts';
import type { JsonObject, ServiceDocument } from './service-documents.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

type Sections = Record<string, Record<string, unknown>>;

/** One service's document that is there. */
type Part = { service: ServiceName; document: JsonObject };

/**
 * One OpenAPI document of several services, as the gateway serves them: every path under its service's prefix, one tag
 * a service, operation ids that begin with the service. A component that is the same in all services that have it
 * stands once, under its own name; where they differ each is `<service>.<name>`.
 * @param own what the gateway itself serves: its info, tags, paths and components
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
  const components: Sections = structuredClone((own.components ?? {}) as Sections);
  for (const part of parts) {
    const { service } = part;
    const document = renamed(part);
    for (const [path, item] of Object.entries((document.paths ?? {}) as Record<string, JsonObject>))
      paths[`/${service}${path === '/' ? '' : path}`] = prefixed(item, service);
    for (const [section, entries] of Object.entries((document.components ?? {}) as Sections))
      for (const [name, component] of Object.entries(entries))
        (components[section] ??= {})[nameOf(service, section, name)] ??= component;
  }
  return {
    ...own,
    tags: [...(own.tags as unknown[]), ...services.map(tagOf)],
    paths,
    components,
  };
}

const tagOf = ({ service, document, state }: ServiceDocument): JsonObject => {
  const { title, description } = (document?.info ?? {}) as { title?: string; description?: string };
  const note = { current: '', 'last known': ' Does not answer; this is what was last known.', missing: '' };
  return {
    name: service,
    description: document
      ? `${title ?? service}. ${description ?? ''}${note[state]}`
      : 'Does not answer, and nothing is known of its routes yet; ask again in a moment.',
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

/** How a service's component is called in the merged document. */
function componentNames(
  parts: readonly Part[],
): (service: ServiceName, section: string, name: string) => string {
  const definitions = new Map<string, unknown[]>(); // by `section/name`
  for (const { document } of parts)
    for (const [section, entries] of Object.entries((document.components ?? {}) as Sections))
      for (const [name, component] of Object.entries(entries)) {
        // Operations name these without a reference, so they cannot be renamed; all services mean the same by them.
        if (section === 'securitySchemes') continue;
        const id = `${section}/${name}`;
        definitions.set(id, [...(definitions.get(id) ?? []), component]);
      }
  const differing = new Set(
    [...definitions]
      .filter(([, [first, ...others]]) => others.some((other) => !isDeepStrictEqual(first, other)))
      .map(([id]) => id),
  );
  // What is written alike but refers to something that differs, differs too.
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

/** Which services the document is complete for: for its reader, and for who watches over it. */
export const completeness = (services: readonly ServiceDocument[]): JsonObject[] =>
  services
    .toSorted((a, b) => SERVICE_NAMES.indexOf(a.service) - SERVICE_NAMES.indexOf(b.service))
    .map((part) => ({
      name: part.service,
      state: part.state,
      ...(part.state === 'last known' && { readAt: part.readAt.toISOString() }),
    }));
