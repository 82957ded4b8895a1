package io.sluice.cli.launch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChildJvmOptionsTest {
    private static final String COLLECTOR = "-XX:+UseZGC";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-Xmx512m",
                "-XX:MaxDirectMemorySize=1g",
                "-XX:+HeapDumpOnOutOfMemoryError",
                "-XX:MaxGCPauseMillis=5",
                "-XX:CompileCommand=quiet",
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-Dsluice.aeron.dir=/dev/shm/file=x",
                "-Xlog:disable",
                "-Xlog:gc",
                "-Xlog:gc*=debug",
                "-Xlog:gc:stderr",
                "-Xlog:gc::uptime",
                "-Xlog:gc:stdout:time,level",
                "-Xlog:gc:file=gc-%p.log:time:filesize=1m",
                "-XX:StartFlightRecording=duration=10s",
                "-XX:StartFlightRecording=filename=job-%p.jfr,duration=10s",
                "-XX:ErrorFile=/tmp/error-%p.log",
                "-XX:SharedArchiveFile=app.jsa",
            })
    void optionsThatSeveralProcessesCanShareArePassedOn(String option) {
        assertEquals(List.of(option, COLLECTOR), ChildJvmOptions.of(List.of(option, COLLECTOR)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,address=*:5005",
                "-agentlib:hprof",
                "-agentpath:/opt/profiler.so=start,file=out.html",
                "-javaagent:/opt/exporter.jar=9404:config.yaml",
                "-Xrunjdwp:transport=dt_socket,address=5005",
                "-Xdebug",
                "-Dcom.sun.management.jmxremote.port=9010",
                "-Xloggc:gc.log",
                "-Xlog:gc:gc.log",
                "-Xlog:gc*:file=gc.log",
                "-Xlog:gc*=debug,safepoint:file=/tmp/gc.log:time:filecount=5",
                "-Xlog::file=all.log",
                "-XX:StartFlightRecording=duration=10s,filename=job.jfr",
                "-XX:StartFlightRecording:filename=job.jfr",
                "-XX:HeapDumpPath=/tmp/dump.hprof",
                "-XX:HeapDumpPath=/tmp/dump-%p.hprof",
                "-XX:ErrorFile=/tmp/error.log",
                "-XX:ArchiveClassesAtExit=app.jsa",
            })
    void optionsOfASingleProcessAreNotPassedOn(String option) {
        assertEquals(List.of("-Xmx1g", COLLECTOR), ChildJvmOptions.of(List.of("-Xmx1g", option, COLLECTOR)));
    }

    @Test
    void aCollectorIsChosenByDefault() {
        assertEquals(List.of("-Xmx1g", "-XX:+UseSerialGC"), ChildJvmOptions.of(List.of("-Xmx1g")));
        assertEquals(
                List.of("-XX:-UseParallelGC", "-XX:+UseSerialGC"), ChildJvmOptions.of(List.of("-XX:-UseParallelGC")));
        assertEquals(List.of("-XX:+UseG1GC"), ChildJvmOptions.of(List.of("-XX:+UseG1GC")));
    }
}
