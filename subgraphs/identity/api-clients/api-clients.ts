import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { uuid } from '#server/shapes.ts';
import { isSuperAdmin, managesGym, requireGymAdmin, requireRole, Role } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { conflict, invalid, notFound } from '#server/errors.ts';
import { isUuid } from '#server/ids.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { invalidFields, validated } from '#server/validate.ts';
import type { Audit } from '../audit/audit.ts';
import { refuseTokensOfClients } from '../sessions/ended-sessions.ts';
import type { GymsOfUsers } from '../users/gyms-of-users.ts';
import { ApiClient } from './api-client.entity.ts';
import {
  ApiClientsFilter,
  ApiClientShape,
  CreateApiClientInput,
  type ApiClientWithSecretShape,
} from './api-clients.shapes.ts';
import { addSecret } from './client-secrets.ts';
import type { GymLocations } from './gym-locations.ts';

const cursors = cursorsOf('apiClients', z.tuple([uuid()]));

/** The maximum number of machine clients of one gym. */
const MAX_CLIENTS = 100;

/** The machine clients of gyms. Staff of a gym manage its machine clients; the scopes of a client say what it may do. */
export class ApiClients {
  private readonly unit: UnitOfWork;
  private readonly audit: Audit;
  private readonly gyms: GymsOfUsers;
  private readonly locations: GymLocations;

  constructor(unit: UnitOfWork, audit: Audit, gyms: GymsOfUsers, locations: GymLocations) {
    this.unit = unit;
    this.audit = audit;
    this.gyms = gyms;
    this.locations = locations;
  }

  /** The clients, the oldest first: of their own gym for a GYM_ADMIN, of all gyms or one for a SUPER_ADMIN. */
  async list(filter: unknown, request: PageRequest): Promise<Page<ApiClientShape>> {
    const viewer = requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const { gymId: requested } = validated(ApiClientsFilter, filter);
    const gymId = isSuperAdmin(viewer) ? requested : requireGymAdmin(viewer, requested);
    const after = cursors.read(request.cursor);
    const found = await this.unit.em.find(
      ApiClient,
      { ...(gymId && { gymId }), ...(after && { id: { $gt: after[0] } }) },
      { orderBy: { id: 'asc' }, limit: pageSize(request) + 1 },
    );
    return mapPage(
      cursors.page(found, request, ({ id }) => [id]),
      present,
    );
  }

  /**
   * Creates a machine client, and returns it with its secret, which is in no other answer.
   * @throws the errors of `requireGymAdmin`; VALIDATION_FAILED for an unknown gym, a location that is not of the
   * gym, or an `expiresAt` in the past; CONFLICT if the gym has 100 clients
   */
  async create(input: unknown): Promise<ApiClientWithSecretShape> {
    requireRole(this.unit.viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const {
      name,
      scopes,
      locationId = null,
      expiresAt = null,
      ...named
    } = validated(CreateApiClientInput, input);
    const gymId = requireGymAdmin(this.unit.viewer, named.gymId);
    if (expiresAt !== null && Date.parse(expiresAt) <= Date.now())
      throw invalid('expiresAt', 'expected a time in the future');
    await this.gyms.requireExists(gymId);
    if (locationId !== null) await this.requireLocationOf(gymId, locationId);
    return this.unit.transaction(async () => {
      await this.gyms.requireNotRemoved(gymId);
      await this.requireFewerThanMaximum(gymId);
      const client = this.unit.em.create(ApiClient, {
        gymId,
        name,
        scopes: [...scopes],
        locationId,
        createdAt: new Date(),
        lastUsedAt: null,
        expiresAt: expiresAt === null ? null : new Date(expiresAt),
      });
      await this.unit.em.flush();
      await this.audit.record('API_CLIENT_CREATED', null, { ...idsOf(client), scopes: scopes.join(' ') });
      return { ...present(client), secret: await addSecret(this.unit, client.id) };
    });
  }

  /** Adds a new secret of the client; its previous one stays valid for a day. @throws NOT_FOUND also for another gym's client */
  async rotateSecret(id: string): Promise<ApiClientWithSecretShape> {
    return this.unit.transaction(async () => {
      const client = await this.locked(id);
      await this.audit.record('API_CLIENT_SECRET_ROTATED', null, idsOf(client));
      return { ...present(client), secret: await addSecret(this.unit, client.id) };
    });
  }

  /** Deletes a client. All services refuse its tokens within 5 s. @throws NOT_FOUND also for another gym's client */
  async delete(id: string): Promise<void> {
    await this.unit.transaction(async () => {
      const client = await this.locked(id);
      await this.audit.record('API_CLIENT_DELETED', null, idsOf(client));
      await this.unit.em.execute('delete from api_client where id = ?', [client.id]);
      await refuseTokensOfClients(this.unit.em, [client.id]);
    });
  }

  /** Deletes the clients of a gym that was removed. */
  async deleteOfRemovedGym(gymId: string): Promise<void> {
    const deleted = await this.unit.em.execute<{ id: string }[]>(
      'delete from api_client where gym_id = ? returning id',
      [gymId],
    );
    for (const { id } of deleted)
      await this.audit.record('API_CLIENT_DELETED', null, { clientId: id, gymId });
    await refuseTokensOfClients(
      this.unit.em,
      deleted.map(({ id }) => id),
    );
  }

  private async locked(id: string): Promise<ApiClient> {
    const { viewer } = this.unit;
    requireRole(viewer, Role.GYM_ADMIN, Role.SUPER_ADMIN);
    const client = isUuid(id)
      ? await this.unit.em.findOne(ApiClient, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true })
      : null;
    if (!client || !managesGym(viewer, client.gymId)) throw notFound('API client', id);
    return client;
  }

  private async requireLocationOf(gymId: string, locationId: string): Promise<void> {
    if ((await this.locations.gymOf(locationId, this.unit.origin)) !== gymId)
      throw invalidFields([{ path: 'locationId', message: 'expected the id of a location of this gym' }]);
  }

  /** The lock makes two creations for one gym run one after the other, so that both are counted. @throws CONFLICT */
  private async requireFewerThanMaximum(gymId: string): Promise<void> {
    await this.unit.em.execute('select pg_advisory_xact_lock(hashtextextended(?, 0))', [
      `api_client ${gymId}`,
    ]);
    const count = await this.unit.em.count(ApiClient, { gymId });
    if (count >= MAX_CLIENTS)
      throw conflict(`A gym has at most ${MAX_CLIENTS} clients; delete one that is no longer used.`);
  }
}

const idsOf = ({ id, gymId }: ApiClient) => ({ clientId: id, gymId });

const present = (client: ApiClient): ApiClientShape => presented(ApiClientShape, client);
