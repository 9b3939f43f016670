import { z } from 'zod';
import { actorOf, requireGymAdmin, requireRole, Role } from '#server/auth/viewer.ts';
import { presented } from '#server/database/columns.ts';
import { checkVersion, conflict, invalid, notFound, PlatformError } from '#server/errors.ts';
import { recordEvents, type NewEvent } from '#server/events/record-events.ts';
import { merged } from '#server/merge-patch.ts';
import { cursorsOf, mapPage, pageSize, type Page, type PageRequest } from '#server/paging.ts';
import type { UnitOfWork } from '#server/unit-of-work.ts';
import { validated } from '#server/validate.ts';
import { ConfigDraft, ConfigVersion } from './config-version.entity.ts';
import { designTokensOf } from './design-tokens.ts';
import { lockGym } from './gym-locks.ts';
import { Gym } from './gym.entity.ts';
import type { Gyms } from './gyms.ts';
import {
  DraftInput,
  DraftShape,
  GroupsShape,
  GymConfigShape,
  RollbackInput,
  UpdateGymConfigShape,
  type GroupPatches,
  type Groups,
} from './gyms.shapes.ts';

const cursors = cursorsOf('gymConfigHistory', z.tuple([z.int()]));

/**
 * Versions of gyms' configurations: drafts, publishing and rollback. A SUPER_ADMIN changes them; a service of the platform
 * may call `update`, but no other change.
 */
export class Configs {
  private readonly unit: UnitOfWork;
  private readonly gyms: Gyms;

  constructor(unit: UnitOfWork, gyms: Gyms) {
    this.unit = unit;
    this.gyms = gyms;
  }

  /**
   * Merges changes into theme, assets and features (JSON Merge Patch, RFC 7396) and publishes them at once. For a
   * SUPER_ADMIN and for services of the platform.
   * @param expectedVersion the version on which the change is based; undefined: `version` of the input. Without both, the
   * last write wins.
   */
  async update(input: unknown, expectedVersion?: number): Promise<GymConfigShape> {
    const { viewer } = this.unit;
    const actorId = viewer.kind === 'service' ? actorOf(viewer) : this.requireWriter();
    const { gymId, version, ...patches } = validated(UpdateGymConfigShape, input);
    if (!(await this.gyms.find(gymId))) throw invalid('gymId', 'there is no such gym');
    return this.publishGroups(
      gymId,
      (published) => patched(published, patches),
      actorId,
      expectedVersion ?? version ?? undefined,
    );
  }

  /** @throws NOT_FOUND if there is no draft */
  async draft(gymId: string): Promise<DraftShape> {
    this.requireWriter();
    const gym = await this.gyms.get(gymId);
    const draft = await this.unit.em.findOne(ConfigDraft, { gymId: gym.id });
    if (!draft) throw notFound('draft of gym', gymId);
    return presented(DraftShape, draft);
  }

  /**
   * Merges changes into the draft (JSON Merge Patch, RFC 7396); the first change creates it from the published
   * configuration.
   * @param expectedVersion the version of the draft on which the change is based; undefined: `version` of the input. Without
   * both, the last write wins.
   */
  async saveDraft(gymId: string, input: unknown, expectedVersion?: number): Promise<DraftShape> {
    const actorId = this.requireWriter();
    const { version: inBody, ...patches } = validated(DraftInput, input);
    const expected = expectedVersion ?? inBody;
    const { id } = await this.gyms.get(gymId);
    return this.unit.transaction(async () => {
      // The lock also orders two simultaneous first changes, which would otherwise both create the draft.
      const gym = await this.lockedGym(id);
      const existing = await this.unit.em.findOne(ConfigDraft, { gymId: id }, { refresh: true });
      if (!existing && expected !== undefined && expected !== null)
        throw new PlatformError(
          'VERSION_CONFLICT',
          `There is no longer a draft; the write expected its version ${expected}. Read the published configuration and create another draft.`,
        );
      if (existing) checkVersion('draft', expected, existing.version);
      const draft = {
        gymId: id,
        ...patched(existing ?? gym, patches),
        basedOnVersion: existing?.basedOnVersion ?? gym.version,
        version: (existing?.version ?? (await this.lastDraftVersion(id))) + 1,
        updatedAt: new Date(),
        updatedBy: actorId,
      };
      await this.unit.em.upsert(ConfigDraft, draft);
      return presented(DraftShape, draft);
    });
  }

  /**
   * Publishes the draft and deletes it.
   * @throws CONFLICT if there is no draft; VERSION_CONFLICT if another configuration was published after the draft was
   * created
   */
  async publish(gymId: string): Promise<GymConfigShape> {
    const actorId = this.requireWriter();
    const { id } = await this.gyms.get(gymId);
    return this.unit.transaction(async () => {
      await this.lockedGym(id);
      const draft = await this.unit.em.findOne(ConfigDraft, { gymId: id }, { refresh: true });
      if (!draft) throw conflict('There is no draft to publish; save one first.');
      const config = await this.publishGroups(id, () => draft, actorId, draft.basedOnVersion, draft.version);
      await this.unit.em.nativeDelete(ConfigDraft, { gymId: id });
      return config;
    });
  }

  /** Published versions, newest first; for those who manage the gym. */
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

  /** Publishes an earlier version again, as the next version. */
  async rollback(gymId: string, input: unknown): Promise<GymConfigShape> {
    const actorId = this.requireWriter();
    const { version } = validated(RollbackInput, input);
    const { id } = await this.gyms.get(gymId);
    const earlier = await this.unit.em.findOne(ConfigVersion, { gymId: id, version });
    if (!earlier) throw notFound('version of this configuration', String(version));
    return this.publishGroups(id, () => earlier, actorId);
  }

  /** The theme as W3C design tokens; public. */
  async designTokens(gymId: string): Promise<Record<string, unknown>> {
    return designTokensOf((await this.gyms.get(gymId)).config.theme);
  }

  /** The id of the viewer. @throws UNAUTHENTICATED, FORBIDDEN for other callers than a SUPER_ADMIN */
  private requireWriter(): string {
    return requireRole(this.unit.viewer, Role.SUPER_ADMIN).userId;
  }

  /** The gym, locked, so that changes of its configuration and draft run one after the other. */
  private async lockedGym(id: string): Promise<Gym> {
    const gym = (await lockGym(this.unit, id))
      ? await this.unit.em.findOne(Gym, { id }, { refresh: true })
      : null;
    if (!gym) throw notFound('gym', id);
    return gym;
  }

  /**
   * The version of the gym's last draft, if there is no draft now; 0 if there never was one. A draft ends only when it is
   * published, so this version is stored with a published configuration.
   */
  private async lastDraftVersion(gymId: string): Promise<number> {
    const [last] = await this.unit.em.execute<{ version: number }[]>(
      `select draft_version as version from gym_config_version
       where gym_id = ? and draft_version is not null order by version desc limit 1`,
      [gymId],
    );
    return last?.version ?? 0;
  }

  /**
   * Publishes the next configuration of a gym.
   * @param next computes the new configuration from the published one, while the gym is locked. The result is checked by the
   * current rules, because a draft or an earlier version may have been stored under other rules.
   * @param expectedVersion the published version on which the new one is based; undefined: any version
   * @param draftVersion the version of the draft that is published; null if the configuration is published without a draft
   */
  private async publishGroups(
    gymId: string,
    next: (published: Groups) => Groups,
    actorId: string,
    expectedVersion?: number,
    draftVersion: number | null = null,
  ): Promise<GymConfigShape> {
    const { id, slug } = await this.gyms.get(gymId);
    const published = await this.unit.transaction(async () => {
      const gym = await this.lockedGym(id);
      checkVersion('gym configuration', expectedVersion, gym.version);
      ({ theme: gym.theme, assets: gym.assets, features: gym.features } = validated(GroupsShape, next(gym)));
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
        draftVersion,
      });
      const config = { gymId: id, theme, assets, features, version, updatedAt: gym.updatedAt.toISOString() };
      if (gym.openedAt) await recordEvents(this.unit, [configPublished(config)]);
      return config;
    });
    this.gyms.clearCache({ id, slug });
    return published;
  }
}

/** The value of each group if the input removes the whole group by null. */
const EMPTY_GROUPS: Groups = { theme: {}, assets: {}, features: {} };
const LONGEST_GROUP = 65_536; // characters of JSON

/**
 * Returns the groups after the patches (RFC 7396).
 * @throws VALIDATION_FAILED for a result that breaks the rules, or if a change removes the primary colour; PAYLOAD_TOO_LARGE
 */
function patched(base: Groups, patches: GroupPatches): Groups {
  const { theme, assets, features } = base;
  const changes = Object.fromEntries(Object.entries(patches).filter(([, patch]) => patch !== undefined));
  const result = validated(GroupsShape, {
    ...EMPTY_GROUPS,
    ...(merged({ theme, assets, features }, changes) as Partial<Groups>),
  });
  if (base.theme.colors?.primary !== undefined && result.theme.colors?.primary === undefined)
    throw invalid('theme.colors.primary', 'is required and cannot be removed; send another colour');
  for (const [name, group] of Object.entries(result))
    if (JSON.stringify(group).length > LONGEST_GROUP)
      throw new PlatformError(
        'PAYLOAD_TOO_LARGE',
        `${name} may have at most ${LONGEST_GROUP} characters of JSON.`,
      );
  return result;
}

const configPublished = (config: GymConfigShape): NewEvent => ({
  type: 'gym_config.published',
  gymId: config.gymId,
  subject: `gym/${config.gymId}`,
  data: config,
});

const presentVersion = ({ publishedAt, gymId, theme, assets, features, version }: ConfigVersion) =>
  presented(GymConfigShape, { gymId, theme, assets, features, version, updatedAt: publishedAt });
