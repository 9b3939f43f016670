import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';

export interface MigrationDeclaration {
  /** This name must never change: under it, the database notes that the migration has run. */
  name: string;
  class: Constructor<Migration>;
}
