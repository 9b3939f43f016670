import { LockMode } from '@mikro-orm/core';
import { z } from 'zod';
import { actorOf, requireGymAdmin, requireRole, Role } from '#server/auth/viewer.ts';
import { conflict, notFound, versionConflict } from '#server/errors.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { ConfigDraft, ConfigVersion } from './config-version.entity.ts';
import { designTokensOf } from './design-tokens.ts';
import { Gym } from './gym.entity.ts';
import type { Gyms } from './gyms.ts';
import {
  DraftInput,
  RollbackInput,
  UpdateGymConfigShape,
  type DraftShape,
  type GymConfigShape,
} from './gyms.shapes.ts';

const cursors = cursorsOf('gymConfigHistory', z.tuple([z.int()]));

interface Groups {
  theme?: Record<string, unknown> | null | undefined;
  assets?: Record<string, unknown> | null | undefined;
  features?: Record<string, boolean> | null | undefined;
}

/** The configuration of gyms over time: drafts, what is published, and the way back. A SUPER_ADMIN writes. */
export class Configs {
  private readonly unit: UnitOfWork;
  private readonly gyms: Gyms;

  constructor(unit: UnitOfWork, gyms: Gyms) {
    this.unit = unit;
    this.gyms = gyms;
  }

  /**
   * Publishes theme, assets and features at once; a group that is absent stays as it is. For a SUPER_ADMIN, and for a
   * service that carries out her wish.
   * @param expectedVersion the version that the change is based on; undefined: last write wins.
   */
  async update(input: unknown, expectedVersion?: number): Promise<GymConfigShape> {
    const { viewer } = this.unit;
    const actorId = viewer.kind === 'service' ? actorOf(viewer) : this.requireWriter();
    const { gymId, version, ...groups } = validated(UpdateGymConfigShape, input);
    return this.publishGroups(gymId, groups, actorId, expectedVersion ?? version ?? undefined);
  }

  /** @throws NOT_FOUND where there is no draft. */
  async draft(gymId: string): Promise<DraftShape> {
    this.requireWriter();
    const gym = await this.gyms.get(gymId);
    const draft = await this.unit.em.findOne(ConfigDraft, { gymId: gym.id });
    if (!draft) throw notFound('draft of gym', gymId);
    return presentDraft(draft);
  }

  /** Saves the draft, beginning one on what is published; a group that is absent stays as it is. */
  async saveDraft(gymId: string, input: unknown): Promise<DraftShape> {
    const actorId = this.requireWriter();
    const groups = validated(DraftInput, input);
    const { id, config } = await this.gyms.get(gymId);
    return this.unit.transaction(async () => {
      const existing = await this.unit.em.findOne(
        ConfigDraft,
        { gymId: id },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      const base = existing ?? config;
      const draft = {
        gymId: id,
        theme: groups.theme ?? base.theme,
        assets: groups.assets ?? base.assets,
        features: groups.features ?? base.features,
        basedOnVersion: existing?.basedOnVersion ?? config.version,
        updatedAt: new Date(),
        updatedBy: actorId,
      };
      await this.unit.em.upsert(ConfigDraft, draft);
      return presentDraft(draft);
    });
  }

  /** Publishes the draft and ends it. @throws VERSION_CONFLICT where something else was published since it was begun. */
  async publish(gymId: string): Promise<GymConfigShape> {
    const actorId = this.requireWriter();
    const { id } = await this.gyms.get(gymId);
    return this.unit.transaction(async () => {
      const draft = await this.unit.em.findOne(
        ConfigDraft,
        { gymId: id },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (!draft) throw conflict('There is no draft to publish; save one first.');
      const config = await this.publishGroups(id, draft, actorId, draft.basedOnVersion);
      await this.unit.em.nativeDelete(ConfigDraft, { gymId: id });
      return config;
    });
  }

  /** Published versions, newest first; for those who run the gym. */
  async history(gymId: string, request: PageRequest): Promise<Page<GymConfigShape>> {
    const { id } = await this.gyms.get(gymId);
    requireGymAdmin(this.unit.viewer, id);
    const [before] = cursors.read(request.cursor) ?? [];
    const versions = await this.unit.em.find(
      ConfigVersion,
      { gymId: id, ...(before && { version: { $lt: before } }) },
      { orderBy: { version: 'desc' }, limit: pageSize(request) + 1 },
    );
    return mapPage(
      cursors.page(versions, request, ({ version }) => [version]),
      presentVersion,
    );
  }

  /** Publishes an earlier version anew, as the next one. */
  async rollback(gymId: string, input: unknown): Promise<GymConfigShape> {
    const actorId = this.requireWriter();
    const { version } = validated(RollbackInput, input);
    const { id } = await this.gyms.get(gymId);
    const earlier = await this.unit.em.findOne(ConfigVersion, { gymId: id, version });
    if (!earlier) throw notFound('version of this configuration', String(version));
    return this.publishGroups(id, earlier, actorId);
  }

  /** The theme as W3C design tokens, for everybody. */
  async designTokens(gymId: string): Promise<Record<string, unknown>> {
    return designTokensOf((await this.gyms.get(gymId)).config.theme);
  }

  private requireWriter(): string {
    return requireRole(this.unit.viewer, Role.SUPER_ADMIN).userId;
  }

  private async publishGroups(
    gymId: string,
    groups: Groups,
    actorId: string,
    expectedVersion?: number,
  ): Promise<GymConfigShape> {
    const { id, slug } = await this.gyms.get(gymId);
    const published = await this.unit.transaction(async () => {
      const gym = await this.unit.em.findOneOrFail(
        Gym,
        { id },
        { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true },
      );
      if (expectedVersion !== undefined && expectedVersion !== gym.version)
        throw versionConflict('gym configuration', expectedVersion, gym.version);
      gym.theme = groups.theme ?? gym.theme;
      gym.assets = groups.assets ?? gym.assets;
      gym.features = groups.features ?? gym.features;
      gym.version += 1;
      gym.updatedAt = new Date();
      const { theme, assets, features, version } = gym;
      await this.unit.em.insert(ConfigVersion, {
        gymId: id,
        version,
        theme,
        assets,
        features,
        publishedBy: actorId,
        publishedAt: gym.updatedAt,
      });
      return { gymId: id, theme, assets, features, version, updatedAt: gym.updatedAt.toISOString() };
    });
    this.gyms.forget({ id, slug });
    return published;
  }
}

const presentDraft = (draft: Omit<DraftShape, 'updatedAt'> & { updatedAt: Date }): DraftShape => ({
  gymId: draft.gymId,
  theme: draft.theme,
  assets: draft.assets,
  features: draft.features,
  basedOnVersion: draft.basedOnVersion,
  updatedAt: draft.updatedAt.toISOString(),
});

const presentVersion = ({
  gymId,
  theme,
  assets,
  features,
  version,
  publishedAt,
}: ConfigVersion): GymConfigShape => ({
  gymId,
  theme,
  assets,
  features,
  version,
  updatedAt: publishedAt.toISOString(),
});
