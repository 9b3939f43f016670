import type { Constructor } from '@mikro-orm/core';
import type { Migration } from '@mikro-orm/migrations';

export interface MigrationDeclaration {
  /** Never changes: the database records under this name that the migration has run. */
  name: string;
  class: Constructor<Migration>;
}
