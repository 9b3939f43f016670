import { withReferences } from './json-references.ts';
import type { JsonObject } from '#server/json-object.ts';
import type { ServiceDocument } from './service-documents.ts';

type Entries = Record<string, JsonObject>;

/** The parts of a service's document that are merged. */
interface AsyncApiParts extends JsonObject {
  readonly info: JsonObject;
  readonly channels?: Entries;
  readonly operations?: Entries;
  readonly components?: Record<string, Entries>;
}

/**
 * One AsyncAPI document for the WebSockets of several services behind the gateway: addresses have the service's prefix,
 * and names begin with the service (`squad_user_online`), so that they are unique.
 * @param own the gateway's own info, servers, channels, operations and components
 */
export function mergeAsyncApi(own: JsonObject, services: readonly ServiceDocument[]): JsonObject {
  const merged = {
    channels: { ...(own.channels as Entries) },
    operations: { ...(own.operations as Entries) },
    components: structuredClone((own.components ?? {}) as Record<string, Entries>),
  };
  const about = [String((own.info as JsonObject).description)];
  for (const { service, document, state } of services) {
    if (!document) {
      about.push(`The ${service} service does not answer, and its socket is not known yet.`);
      continue;
    }
    const named = (name: string) => `${service}_${name}`;
    const parts = withReferences(document, (reference) => renamed(reference, named)) as AsyncApiParts;
    const { info, channels, operations, components } = parts;
    about.push(
      `**${String(info.title)}**${state === 'current' ? '' : ' (the service does not answer; this is its last known document)'}: ${String(info.description)}`,
    );
    for (const [name, channel] of Object.entries(channels ?? {}))
      merged.channels[named(name)] = { ...channel, address: `/${service}${String(channel.address)}` };
    for (const [name, operation] of Object.entries(operations ?? {}))
      merged.operations[named(name)] = operation;
    for (const [section, entries] of Object.entries(components ?? {}))
      for (const [name, entry] of Object.entries(entries))
        (merged.components[section] ??= {})[named(name)] = entry;
  }
  return { ...own, info: { ...(own.info as JsonObject), description: about.join('\n\n') }, ...merged };
}

/** `#/channels/socket/messages/error` -> `#/channels/squad_socket/messages/error`; names inside a channel are not changed. */
const renamed = (reference: string, named: (name: string) => string): string =>
  reference
    .replace(
      /^#\/(channels|operations)\/([^/]+)/,
      (_all, kind: string, name: string) => `#/${kind}/${named(name)}`,
    )
    .replace(
      /^#\/components\/([^/]+)\/([^/]+)/,
      (_all, section: string, name: string) => `#/components/${section}/${named(name)}`,
    );
