import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

/** An action of staff or of a service in a gym. A record is never changed; the retention removes it. */
const AuditEventSchema = defineEntity({
  name: 'AuditEvent',
  tableName: 'audit_event',
  indexes: [
    { properties: ['gymId', 'id'] },
    { properties: ['gymId', 'action', 'id'] },
    { properties: ['actorId', 'id'] },
    // for the records whose subject is a user
    {
      name: 'audit_event_about',
      expression: `create index "audit_event_about" on "audit_event" (("details" ->> 'userId'), "id")`,
    },
  ],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    gymId: p.uuid(),
    actorId: p.string().length(64),
    action: p.string().length(64),
    details: p.json<Record<string, unknown>>(),
    at: p.datetime().onCreate(() => new Date()),
  },
});

export class AuditEvent extends AuditEventSchema.class {}
AuditEventSchema.setClass(AuditEvent);
