// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {Roles} from "../../contracts/libraries/Roles.sol";
import {RegistryTest} from "./support/RegistryTest.sol";

contract TransferRootTest is RegistryTest {
    bytes internal accept = abi.encodeCall(IRegistry.acceptRoot, ());

    function notPending(address caller) internal pure returns (bytes memory) {
        return abi.encodeWithSelector(IRegistry.NotPendingRoot.selector, caller);
    }

    function handOver(address to) internal {
        vm.prank(registry.root());
        registry.transferRoot(to);
        vm.prank(to);
        registry.acceptRoot();
    }

    function test_only_root_offers() public {
        expectRootOnly(abi.encodeCall(IRegistry.transferRoot, (stranger)));
    }

    function test_an_offer_changes_nothing_yet_and_tells() public {
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.RootTransferStarted(root, stranger);
        vm.prank(root);
        registry.transferRoot(stranger);
        assertEq(registry.root(), root);
        assertEq(registry.pendingRoot(), stranger);
        bytes memory call_ = abi.encodeCall(IRegistry.setRole, (Roles.OPERATOR, stranger, true));
        expectRefused(stranger, call_, notRoot(stranger));
    }

    function test_nobody_else_accepts() public {
        address[4] memory callers = [root, guardian, buyer, address(this)];
        for (uint256 i; i < callers.length; ++i) {
            expectRefused(callers[i], accept, notPending(callers[i]));
        }
        vm.prank(root);
        registry.transferRoot(stranger);
        for (uint256 i; i < callers.length; ++i) {
            expectRefused(callers[i], accept, notPending(callers[i]));
        }
    }

    function test_accepting_moves_root_and_tells() public {
        vm.prank(root);
        registry.transferRoot(stranger);
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.RootTransferred(root, stranger);
        vm.prank(stranger);
        registry.acceptRoot();
        assertEq(registry.root(), stranger);
        assertEq(registry.pendingRoot(), address(0));
        expectRefused(stranger, accept, notPending(stranger));
    }

    function test_another_offer_replaces_the_first() public {
        vm.startPrank(root);
        registry.transferRoot(stranger);
        registry.transferRoot(buyer);
        vm.stopPrank();
        expectRefused(stranger, accept, notPending(stranger));
        vm.prank(buyer);
        registry.acceptRoot();
        assertEq(registry.root(), buyer);
    }

    function test_an_offer_can_be_withdrawn() public {
        vm.startPrank(root);
        registry.transferRoot(stranger);
        registry.transferRoot(address(0));
        vm.stopPrank();
        expectRefused(stranger, accept, notPending(stranger));
    }

    /// @dev Every function that asks for root, of the registry and of a diamond, asks for the new one from now on.
    function test_the_dismissed_root_has_no_power() public {
        handOver(stranger);
        bytes[6] memory calls = [
            abi.encodeCall(IRegistry.transferRoot, (root)),
            abi.encodeCall(IRegistry.setRole, (Roles.OPERATOR, root, true)),
            abi.encodeCall(IRegistry.setRole, (Roles.GUARDIAN, guardian, false)),
            abi.encodeCall(IRegistry.setPaused, (false)),
            abi.encodeCall(IRegistry.approveFacets, (approvalOf(dealFacet))),
            abi.encodeCall(IRegistry.setRelease, ("2", releaseFacets()))
        ];
        for (uint256 i; i < calls.length; ++i) {
            expectRefused(root, calls[i], notRoot(root));
            vm.prank(stranger);
            (bool ok,) = address(registry).call(calls[i]);
            assertTrue(ok);
        }
        expectRefused(root, abi.encodeCall(IRegistry.setPaused, (true)), notGuardian(root));
        expectRefused(root, abi.encodeCall(IRegistry.revokeFacet, (dealFacet, dealFacet.codehash)), notGuardian(root));
        expectRefused(root, abi.encodeCall(IRegistry.setRole, (Roles.OPERATOR, operator, false)), notGuardian(root));
    }

    function test_roles_approvals_and_addresses_stay() public {
        address predicted = registry.diamondAddress(NODE, bytes16(uint128(0x99)));
        handOver(stranger);
        assertTrue(enabled(Roles.OPERATOR, operator) && enabled(Roles.UPGRADER, upgrader));
        assertTrue(enabled(Roles.GUARDIAN, guardian));
        assertTrue(registry.isApproved(dealFacet));
        assertEq(registry.createDiamond(NODE, bytes16(uint128(0x99))), predicted);
    }
}
