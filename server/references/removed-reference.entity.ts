import { defineEntity, p } from '@mikro-orm/core';

/** Marks a removed entity of another service for a day, see `removed-references.ts`. */
const RemovedReferenceSchema = defineEntity({
  name: 'RemovedReference',
  tableName: 'removed_reference',
  indexes: [{ properties: ['removedAt'] }], // purged by age
  properties: {
    /** The entity's type in the graph. */
    typeName: p.string().length(64).primary(),
    id: p.uuid().primary(),
    removedAt: p.datetime(),
  },
});

export class RemovedReference extends RemovedReferenceSchema.class {}
RemovedReferenceSchema.setClass(RemovedReference);
