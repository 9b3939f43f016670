import { Migration } from '@mikro-orm/migrations';

export class AttendedByStaff extends Migration {
  override up(): void {
    this.addSql(`alter table "booking" add column "attended_by_staff" boolean not null default false;`);
    // Only the audit trail contains what staff recorded before. An entry about a booking of one's own does not exist.
    this.addSql(
      `update "booking" set "attended_by_staff" = true from "audit_event" where "audit_event"."action" = 'BOOKING_ATTENDED' and "booking"."id" = ("audit_event"."details"->>'bookingId')::uuid and "booking"."status" = 'ATTENDED';`,
    );
  }

  override down(): void {
    this.addSql(`alter table "booking" drop column "attended_by_staff";`);
  }
}
