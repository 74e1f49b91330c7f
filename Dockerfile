# The operator without the GitLab kinds.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -o /out/manager ./cmd/manager && mkdir -p charts

FROM gcr.io/distroless/static:nonroot
COPY --from=build /out/manager /manager
COPY --from=build /src/charts /charts
ENV HELM_CHARTS=/charts
USER 65532:65532
ENTRYPOINT ["/manager"]
