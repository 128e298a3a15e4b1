# One image for every process of doorledger; the command says which: host, projector or up.
FROM node:20-bookworm-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3 make g++ && rm -rf /var/lib/apt/lists/*
WORKDIR /doorledger
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN node scripts/setup.mjs build && npm prune --omit=dev

FROM node:20-bookworm-slim
ENV NODE_ENV=production DOORLEDGER_HOST=0.0.0.0 DOORLEDGER_DATA=/data DOORLEDGER_LOGGING_FORMAT=json
WORKDIR /doorledger
COPY --from=build /doorledger/package.json ./
COPY --from=build /doorledger/node_modules ./node_modules
COPY --from=build /doorledger/dist ./dist
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 8080 8081
ENTRYPOINT ["node", "--enable-source-maps", "/doorledger/dist/apps/cli/src/main.js"]
CMD ["up"]
