// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {RegistryTest} from "./support/RegistryTest.sol";

contract SetRoleTest is RegistryTest {
    function setRole(bytes32 role, address account, bool enable) internal pure returns (bytes memory) {
        return abi.encodeCall(IRegistry.setRole, (role, account, enable));
    }

    function test_only_root_gives_a_role() public {
        bytes32[4] memory roles = [Roles.OPERATOR, Roles.UPGRADER, Roles.GUARDIAN, bytes32("later")];
        for (uint256 i; i < roles.length; ++i) {
            expectRootOnly(setRole(roles[i], stranger, true));
        }
    }

    function test_only_root_and_guardians_take_a_role() public {
        expectGuardiansOnly(setRole(Roles.OPERATOR, operator, false));
        expectGuardiansOnly(setRole(Roles.UPGRADER, upgrader, false));
        expectGuardiansOnly(setRole(bytes32("later"), stranger, false));
    }

    /// @dev A thief of one guardian's key could else disarm the others, and itself never be stopped.
    function test_a_guardian_takes_no_role_of_guardians() public {
        address second = makeAddr("second guardian");
        vm.prank(root);
        registry.setRole(Roles.GUARDIAN, second, true);
        expectRootOnly(setRole(Roles.GUARDIAN, second, false));
        expectRefused(guardian, setRole(Roles.GUARDIAN, guardian, false), notRoot(guardian));
    }

    function test_gives_and_takes_and_tells() public {
        vm.startPrank(root);
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.RoleSet(Roles.OPERATOR, stranger, true);
        registry.setRole(Roles.OPERATOR, stranger, true);
        assertTrue(enabled(Roles.OPERATOR, stranger));
        assertFalse(enabled(Roles.UPGRADER, stranger));
        assertFalse(enabled(Roles.GUARDIAN, stranger));
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.RoleSet(Roles.OPERATOR, stranger, false);
        registry.setRole(Roles.OPERATOR, stranger, false);
        assertFalse(enabled(Roles.OPERATOR, stranger));
    }

    function test_guardian_disables_and_it_is_told() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.RoleSet(Roles.OPERATOR, operator, false);
        vm.prank(guardian);
        registry.setRole(Roles.OPERATOR, operator, false);
        assertFalse(enabled(Roles.OPERATOR, operator));
        assertTrue(enabled(Roles.OPERATOR, address(batcher)));
    }

    function test_dismissed_guardian_has_no_power() public {
        vm.prank(root);
        registry.setRole(Roles.GUARDIAN, guardian, false);
        expectRefused(guardian, setRole(Roles.OPERATOR, operator, false), notGuardian(guardian));
        expectRefused(guardian, abi.encodeCall(IRegistry.setPaused, (true)), notGuardian(guardian));
        expectRefused(
            guardian, abi.encodeCall(IRegistry.revokeFacet, (dealFacet, dealFacet.codehash)), notGuardian(guardian)
        );
    }

    /// @dev A later facet may bring a role of its own; the registry needs no change for it.
    function testFuzz_any_role_is_kept_for_itself(bytes32 role, address account, bytes32 other) public {
        vm.assume(role != other && !enabled(other, account));
        vm.prank(root);
        registry.setRole(role, account, true);
        assertTrue(enabled(role, account));
        assertFalse(enabled(other, account));
    }
}
