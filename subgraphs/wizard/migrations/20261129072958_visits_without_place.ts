import { Migration } from '@mikro-orm/migrations';

/** A first visit that has ended or was cancelled leaves its place to others, and staff still see it. */
export class VisitsWithoutPlace extends Migration {
  override up(): void {
    this.addSql(`alter table "reservation" alter column "place" drop not null;`);
  }

  override down(): void {
    this.addSql(`delete from "reservation" where "place" is null;`);
    this.addSql(`alter table "reservation" alter column "place" set not null;`);
  }
}
