export { chainStart, extendChain, type Chain } from './chain.js';
