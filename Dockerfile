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
COPY --from=built /rollcall/dist dist
COPY --from=built /rollcall/cli/bin cli/bin
RUN mkdir /data && chown node:node /data && ln -s /rollcall/cli/bin/rollcall.js /usr/local/bin/rollcall
USER node
VOLUME /data
EXPOSE 3000
CMD ["node", "--enable-source-maps", "dist/standalone.js"]
