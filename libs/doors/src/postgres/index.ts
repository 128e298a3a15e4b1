export { openPostgresBudgets } from './postgres-budgets.js';
