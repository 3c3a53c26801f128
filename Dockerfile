# One image for every process: docker-compose.yml says which of them a container runs.
FROM node:22.20.0-bookworm-slim AS source
WORKDIR /rollcall
COPY . .

FROM source AS built
RUN npm ci --no-audit --no-fund && npm run build

FROM source AS packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:22.20.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
WORKDIR /rollcall
COPY --from=packages /rollcall/node_modules node_modules
COPY --from=packages /rollcall/package.json ./
COPY --from=built /rollcall/contracts contracts
COPY --from=built /rollcall/domain domain
COPY --from=built /rollcall/application application
COPY --from=built /rollcall/adapters adapters
COPY --from=built /rollcall/api api
COPY --from=built /rollcall/projector projector
COPY --from=built /rollcall/worker worker
COPY --from=built /rollcall/standalone standalone
COPY --from=built /rollcall/cli cli
RUN mkdir /data && chown node:node /data && ln -s /rollcall/cli/bin/rollcall.js /usr/local/bin/rollcall
USER node
VOLUME /data
EXPOSE 3000
CMD ["node", "standalone/dist/main.js"]
