import { defineEntity, p } from '@mikro-orm/core';

/** A configuration as it was published: history to read, and to go back to. */
const ConfigVersionSchema = defineEntity({
  name: 'ConfigVersion',
  tableName: 'gym_config_version',
  properties: {
    gymId: p.uuid().primary(),
    version: p.integer().primary(),
    theme: p.json<Record<string, unknown>>(),
    assets: p.json<Record<string, unknown>>(),
    features: p.json<Record<string, boolean>>(),
    publishedBy: p.string().length(64),
    publishedAt: p.datetime(),
  },
});

export class ConfigVersion extends ConfigVersionSchema.class {}
ConfigVersionSchema.setClass(ConfigVersion);

/** The one draft of a gym's next configuration. */
const ConfigDraftSchema = defineEntity({
  name: 'ConfigDraft',
  tableName: 'gym_config_draft',
  properties: {
    gymId: p.uuid().primary(),
    theme: p.json<Record<string, unknown>>(),
    assets: p.json<Record<string, unknown>>(),
    features: p.json<Record<string, boolean>>(),
    /** The published version that the draft was begun on: publishing over a newer one is a conflict. */
    basedOnVersion: p.integer(),
    updatedAt: p.datetime(),
    updatedBy: p.string().length(64),
  },
});

export class ConfigDraft extends ConfigDraftSchema.class {}
ConfigDraftSchema.setClass(ConfigDraft);
