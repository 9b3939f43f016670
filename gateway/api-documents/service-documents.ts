import type { Logger } from '#server/observability/logger.ts';
import { urlOf, type ServerSettings, type ServiceName } from '#server/settings.ts';
import type { JsonObject } from '#server/json-object.ts';

/** A service's document: the current one; if the service does not answer, the last known one; or none. */
export type ServiceDocument =
  | ({ service: ServiceName; document: JsonObject } & (
      | { state: 'current' }
      | { state: 'last known'; readAt: Date }
    ))
  | { service: ServiceName; document: undefined; state: 'missing' };

const CURRENT_FOR_MILLIS = 30_000; // 30 s
const RETRY_AFTER_MILLIS = 2_000; // 2 s, while a service does not answer
const TIMEOUT_MILLIS = 3_000; // 3 s

interface Known {
  document: JsonObject | undefined;
  etag: string | undefined;
  /** Undefined if the document was never read. */
  readAt: Date | undefined;
  isCurrent: boolean;
  readAgainAt: number;
}

/**
 * The documents of several running services at one path, such as `/openapi.json`. They are cached for 30 s; while a service
 * does not answer, its last known document is used.
 */
export class ServiceDocuments {
  private readonly path: string;
  private readonly services: readonly ServiceName[];
  private readonly settings: ServerSettings;
  private readonly log: Logger;
  private readonly known = new Map<ServiceName, Promise<Known>>();

  constructor(path: string, services: readonly ServiceName[], settings: ServerSettings, log: Logger) {
    this.path = path;
    this.services = services;
    this.settings = settings;
    this.log = log;
  }

  /** The documents in the order of the services. Never rejects. */
  all(): Promise<ServiceDocument[]> {
    return Promise.all(this.services.map((service) => this.documentOf(service)));
  }

  private async documentOf(service: ServiceName): Promise<ServiceDocument> {
    const { document, isCurrent, readAt } = await this.upToDate(service);
    if (!document || !readAt) return { service, document: undefined, state: 'missing' };
    return isCurrent
      ? { service, document, state: 'current' }
      : { service, document, state: 'last known', readAt };
  }

  /** Concurrent calls share one request to the service. */
  private upToDate(service: ServiceName): Promise<Known> {
    const before = this.known.get(service);
    const known = before
      ? before.then((last) => (last.readAgainAt > Date.now() ? last : this.ask(service, last)))
      : this.ask(service, undefined);
    this.known.set(service, known);
    return known;
  }

  private async ask(service: ServiceName, last: Known | undefined): Promise<Known> {
    try {
      const answer = await fetch(`${urlOf(service, this.settings)}${this.path}`, {
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
        redirect: 'error',
        headers: last?.document && last.etag ? { 'If-None-Match': last.etag } : {},
      });
      const isUnchanged = answer.status === 304 && last?.document;
      if (!answer.ok && !isUnchanged) throw new Error(`${service} answered ${answer.status}`);
      return {
        document: isUnchanged ? last.document : ((await answer.json()) as JsonObject),
        etag: answer.headers.get('etag') ?? undefined,
        readAt: new Date(),
        isCurrent: true,
        readAgainAt: Date.now() + CURRENT_FOR_MILLIS,
      };
    } catch (error) {
      this.log.debug({ err: error, service, path: this.path }, 'a document could not be read');
      return {
        document: last?.document,
        etag: last?.etag,
        readAt: last?.readAt,
        isCurrent: false,
        readAgainAt: Date.now() + RETRY_AFTER_MILLIS,
      };
    }
  }
}
