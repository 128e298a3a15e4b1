import whole from './jest.config.js';
/** Without Kafka and PostgreSQL: for the specs that need neither. */
const { globalSetup, globalTeardown, ...unit } = whole;
export default unit;
