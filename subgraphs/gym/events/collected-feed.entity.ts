import { defineEntity, p } from '@mikro-orm/core';

/** How far the feed of another service has been collected. */
const CollectedFeedSchema = defineEntity({
  name: 'CollectedFeed',
  tableName: 'collected_feed',
  properties: {
    service: p.string().length(32).primary(),
    /** `next` of the last answer that was stored; null if the feed is to be read from its beginning. */
    cursor: p.text().nullable(),
    /** The replica that collects the feed, until `heldUntil`. */
    holder: p.uuid().nullable(),
    heldUntil: p.datetime().nullable(),
  },
});

export class CollectedFeed extends CollectedFeedSchema.class {}
CollectedFeedSchema.setClass(CollectedFeed);
