import { Migration } from '@mikro-orm/migrations';

/** An index for the latest check-out of a location, which is when its occupancy last decreased. */
export class OccupancyChanges extends Migration {
  override up(): void {
    this.addSql(
      `create index "check_in_left_location" on "check_in" ("location_id", "checked_out_at") where "checked_out_at" is not null;`,
    );
  }

  override down(): void {
    this.addSql(`drop index "check_in_left_location";`);
  }
}
