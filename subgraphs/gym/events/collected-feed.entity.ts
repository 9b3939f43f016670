import { defineEntity, p } from '@mikro-orm/core';

/** The feed of another service, and how far it has been collected. */
const CollectedFeedSchema = defineEntity({
  name: 'CollectedFeed',
  tableName: 'collected_feed',
  properties: {
    service: p.string().length(32).primary(),
    /** `next` of the last answer whose events were stored; null before the first one. */
    cursor: p.text().nullable(),
    /** The replica that collects the feed, until `heldUntil`. */
    holder: p.uuid().nullable(),
    heldUntil: p.datetime().nullable(),
  },
});

export class CollectedFeed extends CollectedFeedSchema.class {}
CollectedFeedSchema.setClass(CollectedFeed);
