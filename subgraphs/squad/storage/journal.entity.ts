import { defineEntity, p } from '@mikro-orm/core';

const JournalHeadSchema = defineEntity({
  name: 'JournalHead',
  tableName: 'journal',
  indexes: [{ properties: ['kind', 'changedAt'] }], // old journals are removed by kind and age
  properties: {
    kind: p.text().primary(),
    id: p.text().primary(),
    /** The number of the last record. */
    seq: p.integer(),
    /** Each write replaces it by a new one; see `Position` of journal-tables.ts. */
    mark: p.uuid(),
    /** The number of the last record that the snapshot contains; 0 without a snapshot. */
    base: p.integer(),
    baseMark: p.uuid().nullable(),
    changedAt: p.datetime(),
  },
});
/** One journal: its newest position, and that of its snapshot. */
export class JournalHead extends JournalHeadSchema.class {}
JournalHeadSchema.setClass(JournalHead);

const JournalRecordSchema = defineEntity({
  name: 'JournalRecord',
  tableName: 'journal_record',
  properties: {
    journal: () => p.manyToOne(JournalHead).joinColumns('kind', 'id').primary().deleteRule('cascade'),
    seq: p.integer().primary(),
    mark: p.uuid(),
    record: p.json<object>().columnType('json'),
  },
});
/** A record after the journal's snapshot. */
export class JournalRecord extends JournalRecordSchema.class {}
JournalRecordSchema.setClass(JournalRecord);

const JournalSnapshotSchema = defineEntity({
  name: 'JournalSnapshot',
  tableName: 'journal_snapshot',
  properties: {
    journal: () => p.manyToOne(JournalHead).joinColumns('kind', 'id').primary().deleteRule('cascade'),
    records: p.json<object[]>().columnType('json'),
  },
});
/** The fewest records that lead to the state at the journal's `base`. */
export class JournalSnapshot extends JournalSnapshotSchema.class {}
JournalSnapshotSchema.setClass(JournalSnapshot);
