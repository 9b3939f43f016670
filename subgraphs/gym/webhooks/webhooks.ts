import { randomBytes } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import {
  isSuperAdmin,
  requireGymAdmin,
  requireGymOfClient,
  requireRole,
  requireScope,
  Role,
  type ClientViewer,
  type UserViewer,
} from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { DAY_MILLIS } from '#server/durations.ts';
import { checkVersion, conflict, forbidden, invalid, notFound, PlatformError } from '#server/errors.ts';
import { EVENT_TYPE_NAMES } from '#server/events/event-types.ts';
import { mayReadType, typesOf } from '#server/events/feed.ts';
import { isUuid } from '#server/ids.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { mayManageWebhook } from '../access.ts';
import { requireOpenGym } from '../gyms/open-gyms.ts';
import { bringForward } from './early-attempts.ts';
import { targetProblem } from './target.ts';
import { Webhook } from './webhook.entity.ts';
import {
  CreateWebhookInput,
  UpdateWebhookInput,
  WebhooksFilter,
  WebhookShape,
  type WebhookWithSecretShape,
} from './webhooks.shapes.ts';

const cursors = cursorsOf('webhooks', z.tuple([uuid()]));

/** The maximum number of webhooks of one gym, and the maximum number of those that receive the events of all gyms. */
const MAX_WEBHOOKS = 20;

/** How long the previous secret also signs after a rotation. */
const PREVIOUS_SECRET_MILLIS = DAY_MILLIS;

/** What the rules need of the dispatcher and of the feed. */
export interface WebhookSending {
  /** Whether a URL may be http to this machine. */
  allowsLoopback: boolean;
  /** Begins to send the deliveries that are due. */
  wake(): void;
  /** Publishes all events that are committed. */
  publish(): Promise<void>;
}

/**
 * The addresses to which the events of gyms are sent. Staff of the gym and machine clients with the scope `webhooks` manage
 * them.
 */
export class Webhooks {
  private readonly unit: UnitOfWork;
  private readonly sending: WebhookSending;

  constructor(unit: UnitOfWork, sending: WebhookSending) {
    this.unit = unit;
    this.sending = sending;
  }

  /** The webhooks of the caller's gym, for a SUPER_ADMIN all or those of one gym; the oldest first. */
  async list(filter: unknown, request: PageRequest): Promise<Page<WebhookShape>> {
    const viewer = requireManager(this.unit);
    const { gymId: requested } = validated(WebhooksFilter, filter);
    const after = cursors.read(request.cursor);
    const found = await this.unit.em.find(
      Webhook,
      { ...managedBy(viewer, requested), ...(after && { id: { $gt: after[0] } }) },
      { orderBy: { id: 'asc' }, limit: pageSize(request) + 1 },
    );
    return mapPage(
      cursors.page(found, request, ({ id }) => [id]),
      present,
    );
  }

  /** @throws NOT_FOUND, also for a webhook that the viewer may not manage */
  async get(id: string): Promise<WebhookShape> {
    return present(await this.load(id));
  }

  /**
   * @throws GYM_REQUIRED if a SUPER_ADMIN names no gym; VALIDATION_FAILED for a URL to which no events may be sent;
   * FORBIDDEN for types that a machine client may not read; CONFLICT if there are 20 of this gym already,
   * or 20 that receive the events of all gyms
   */
  async create(input: unknown): Promise<WebhookWithSecretShape> {
    const viewer = requireManager(this.unit);
    const { url, types, description, gymId: named } = validated(CreateWebhookInput, input);
    const gymId = gymOfNew(viewer, named);
    if (viewer.kind === 'client') typesOf(viewer, types);
    this.checkUrl(url);
    const secret = newSecret();
    await this.sending.publish(); // so events that happened before the creation get earlier positions, and are not sent
    return this.unit.transaction(async () => {
      if (gymId !== null) await requireOpenGym(this.unit, gymId);
      await this.requireFewerThanMaximum(gymId);
      const [feed] = await this.unit.em.execute<{ position: number }[]>(
        'select position::double precision as position from event where position > 0 order by event.position desc limit 1',
      );
      const webhook = this.unit.em.create(Webhook, {
        gymId,
        url: new URL(url).href,
        types: [...types],
        description: description ?? null,
        active: true,
        disabledReason: null,
        locationId: viewer.kind === 'client' ? viewer.locationId : null,
        secret,
        previousSecret: null,
        previousUntil: null,
        sincePosition: feed?.position ?? 0,
        failingSince: null,
        mailDueAt: null,
        createdAt: new Date(),
        version: 1,
      });
      await this.unit.em.flush();
      return { ...present(webhook), secret };
    });
  }

  /**
   * Changes a webhook, or switches it on or off. Absent fields are unchanged.
   * @param expectedVersion undefined: `version` of the input. Without both, the last write wins.
   * @throws the errors of `get` and `create`; VERSION_CONFLICT
   */
  async update(id: string, input: unknown, expectedVersion?: number): Promise<WebhookShape> {
    const viewer = requireManager(this.unit);
    const change = validated(UpdateWebhookInput, input);
    if (viewer.kind === 'client') typesOf(viewer, change.types ?? []);
    if (change.url) this.checkUrl(change.url);
    return this.unit.transaction(async () => {
      const webhook = await this.locked(id);
      checkVersion('webhook', expectedVersion ?? change.version, webhook.version);
      const url = change.url ? new URL(change.url).href : webhook.url;
      // A client may send the whole webhook again and again, so with `active: true` the 3 days begin again only after a switch-off.
      if (url !== webhook.url || (change.active && !webhook.active)) webhook.failingSince = null;
      webhook.url = url;
      if (change.types) webhook.types = [...change.types];
      if (change.description !== undefined) webhook.description = change.description;
      if (change.active) Object.assign(webhook, { disabledReason: null, mailDueAt: null });
      webhook.active = change.active ?? webhook.active;
      webhook.version += 1;
      if (change.active) await bringForward(this.unit, [id]);
      // If the webhook is switched on, the deliveries that waited meanwhile are sent.
      await this.unit.afterCommit(() => this.sending.wake());
      return present(webhook);
    });
  }

  /** Deletes the webhook with its deliveries. @throws the errors of `get` */
  async delete(id: string): Promise<void> {
    await this.unit.transaction(async () => {
      await this.locked(id);
      await this.unit.em.execute('delete from webhook where id = ?', [id]);
    });
  }

  /**
   * Gives the webhook a new secret. For a day, the previous secret signs, too; after another rotation, it no longer does.
   * @throws the errors of `get`
   */
  async rotateSecret(id: string): Promise<WebhookWithSecretShape> {
    return this.unit.transaction(async () => {
      const webhook = await this.locked(id);
      webhook.previousSecret = webhook.secret;
      webhook.previousUntil = new Date(Date.now() + PREVIOUS_SECRET_MILLIS);
      webhook.secret = newSecret();
      webhook.version += 1;
      return { ...present(webhook), secret: webhook.secret };
    });
  }

  /** The stored webhook. @throws the errors of `get` */
  async load(id: string): Promise<Webhook> {
    const viewer = requireManager(this.unit);
    const webhook = isUuid(id) ? await this.unit.em.findOne(Webhook, { id }) : null;
    return managed(viewer, id, webhook);
  }

  /** The stored webhook, locked until the transaction ends. @throws the errors of `get` */
  async locked(id: string): Promise<Webhook> {
    const viewer = requireManager(this.unit);
    const webhook = isUuid(id)
      ? await this.unit.em.findOne(Webhook, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
      : null;
    return managed(viewer, id, webhook);
  }

  private checkUrl(url: string): void {
    const problem = targetProblem(url, this.sending.allowsLoopback);
    if (problem) throw invalid('url', problem);
  }

  /** Two creations for one gym wait for each other, so that both are counted. @throws CONFLICT */
  private async requireFewerThanMaximum(gymId: string | null): Promise<void> {
    await this.unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [`webhook ${gymId}`]);
    if ((await this.unit.em.count(Webhook, { gymId })) >= MAX_WEBHOOKS)
      throw conflict(
        `There are ${MAX_WEBHOOKS} webhooks ${gymId === null ? 'for all gyms' : 'of this gym'} already, the maximum; delete one that is no longer used.`,
      );
  }
}

/** @throws UNAUTHENTICATED, FORBIDDEN */
function requireManager({ viewer }: UnitOfWork): UserViewer | ClientViewer {
  if (viewer.kind !== 'client') return requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
  requireScope(viewer, 'webhooks');
  return viewer;
}

/** A filter for the webhooks that `mayManageWebhook` allows. @throws FORBIDDEN, GYM_REQUIRED */
function managedBy(viewer: UserViewer | ClientViewer, requested: string | null | undefined): object {
  if (viewer.kind !== 'client') {
    if (isSuperAdmin(viewer)) return requested ? { gymId: requested } : {};
    return { gymId: requireGymAdmin(viewer, requested) };
  }
  return {
    gymId: requireGymOfClient(viewer, requested),
    types: { $contained: EVENT_TYPE_NAMES.filter((type) => mayReadType(viewer, type)) },
    ...(viewer.locationId !== null && { locationId: viewer.locationId }),
  };
}

/** The webhook, which the viewer may manage. @throws NOT_FOUND */
function managed(viewer: UserViewer | ClientViewer, id: string, webhook: Webhook | null): Webhook {
  if (!webhook) throw notFound('webhook', id);
  const { gymId = null, locationId = null, types } = webhook;
  if (!mayManageWebhook(viewer, { gymId, locationId, types })) throw notFound('webhook', id);
  return webhook;
}

/** The gym of a new webhook; null: all gyms. @param named the gym of the input; undefined if it names none */
function gymOfNew(viewer: UserViewer | ClientViewer, named: string | null | undefined): string | null {
  if (named === null && !isSuperAdmin(viewer))
    throw forbidden('Only a SUPER_ADMIN may create a webhook for all gyms; leave gymId out for your own.');
  if (viewer.kind === 'client') return requireGymOfClient(viewer, named);
  if (!isSuperAdmin(viewer)) return requireGymAdmin(viewer, named);
  if (named === undefined)
    throw new PlatformError('GYM_REQUIRED', 'Name a gym: add gymId, or null for the events of all gyms.');
  return named;
}

/** 256 random bits, in the form of the Standard Webhooks specification. */
const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

const present = (webhook: Webhook): WebhookShape => presented(WebhookShape, webhook);
