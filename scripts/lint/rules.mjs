/** The lint rules of this repository, loaded by `.oxlintrc.json`. */
import { importDirections } from './import-directions.mjs';
import { streamsCarryErrors } from './streams-carry-errors.mjs';

export default {
  meta: { name: 'platform' },
  rules: { 'import-directions': importDirections, 'streams-carry-errors': streamsCarryErrors },
};
