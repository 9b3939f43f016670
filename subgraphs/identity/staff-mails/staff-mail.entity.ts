import { defineEntity, p } from '@mikro-orm/core';
import { uuidv7 } from '#server/ids.ts';

/** The text of a mail to the staff of a gym. The jobs that send it contain only its id. */
const StaffMailSchema = defineEntity({
  name: 'StaffMail',
  tableName: 'staff_mail',
  indexes: [{ properties: ['storedAt'] }],
  properties: {
    id: p
      .uuid()
      .primary()
      .onCreate(() => uuidv7()),
    subject: p.string().length(200),
    text: p.text(),
    storedAt: p.datetime().onCreate(() => new Date()),
  },
});

export class StaffMail extends StaffMailSchema.class {}
StaffMailSchema.setClass(StaffMail);
