import { defineEntity, p } from '@mikro-orm/core';
import { Gym } from './gym.entity.ts';

/** A configuration as it was published: history to read, and to go back to. */
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
    /** The version of the draft that this was, null if it was none: the next draft counts on from it. */
    draftVersion: p.integer().nullable(),
  },
});

export class ConfigVersion extends ConfigVersionSchema.class {}
ConfigVersionSchema.setClass(ConfigVersion);

/** The one draft of a gym's next configuration. */
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
    /** The published version that the draft was begun on: publishing over a newer one is a conflict. */
    basedOnVersion: p.integer(),
    /** Counts up at every change, over all drafts of the gym. */
    version: p.integer().default(1),
    updatedAt: p.datetime(),
    updatedBy: p.string().length(64),
  },
});

export class ConfigDraft extends ConfigDraftSchema.class {}
ConfigDraftSchema.setClass(ConfigDraft);
