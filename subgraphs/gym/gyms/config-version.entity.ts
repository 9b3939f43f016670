import { defineEntity, p } from '@mikro-orm/core';
import { Gym } from './gym.entity.ts';

/** A version of a gym's configuration that was published at some time: the current one, or an earlier one for a rollback. */
const ConfigVersionSchema = defineEntity({
  name: 'ConfigVersion',
  tableName: 'gym_config_version',
  indexes: [{ properties: ['publishedBy'] }],
  properties: {
    gymId: () => p.manyToOne(Gym).primary().mapToPk().joinColumn('gym_id').deleteRule('cascade'),
    version: p.integer().primary(),
    theme: p.json<Record<string, unknown>>(),
    assets: p.json<Record<string, unknown>>(),
    features: p.json<Record<string, boolean>>(),
    publishedBy: p.string().length(64),
    publishedAt: p.datetime(),
    /**
     * The version of the draft from which this version was published; null if there was no draft. The versions of the gym's
     * next draft continue from it.
     */
    draftVersion: p.integer().nullable(),
  },
});

export class ConfigVersion extends ConfigVersionSchema.class {}
ConfigVersionSchema.setClass(ConfigVersion);

/** The draft of a gym's next configuration; a gym has at most one. */
const ConfigDraftSchema = defineEntity({
  name: 'ConfigDraft',
  tableName: 'gym_config_draft',
  indexes: [{ properties: ['updatedBy'] }],
  properties: {
    gymId: () =>
      p.manyToOne(Gym).primary().mapToPk().joinColumn('gym_id').deleteRule('cascade').updateRule('no action'),
    theme: p.json<Record<string, unknown>>(),
    assets: p.json<Record<string, unknown>>(),
    features: p.json<Record<string, boolean>>(),
    /** The published version on which the draft is based. If a newer one is published, the draft can no longer be published. */
    basedOnVersion: p.integer(),
    /** Increases with every change, across all drafts of the gym. */
    version: p.integer().default(1),
    updatedAt: p.datetime(),
    updatedBy: p.string().length(64),
  },
});

export class ConfigDraft extends ConfigDraftSchema.class {}
ConfigDraftSchema.setClass(ConfigDraft);
