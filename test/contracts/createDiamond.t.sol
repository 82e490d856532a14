// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Diamond} from "../../contracts/Diamond.sol";
import {Registry} from "../../contracts/Registry.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IDiamondCut} from "../../contracts/interfaces/IDiamondCut.sol";
import {IDiamondLoupe} from "../../contracts/interfaces/IDiamondLoupe.sol";
import {IFacet} from "../../contracts/interfaces/IFacet.sol";
import {IRegistry} from "../../contracts/interfaces/IRegistry.sol";
import {ExtraFacet} from "../../contracts/mocks/MockFacets.sol";
import {CaratTest} from "./support/CaratTest.sol";

contract CreateDiamondTest is CaratTest {
    bytes16 internal constant OTHER = bytes16(uint128(0x99));

    function requireKey(address which, bytes16 nodeId, bytes16 walletId) internal view {
        (bytes16 node, bytes16 wallet) = registry.diamondKey(which);
        assertEq(node, nodeId);
        assertEq(wallet, walletId);
    }

    function test_reverts_without_a_release() public {
        Registry fresh = new Registry(root, APPROVAL_DELAY, bytes32("fresh"));
        vm.expectRevert(IRegistry.NoRelease.selector);
        fresh.createDiamond(NODE, WALLET);
        (string memory version, address[] memory facets) = fresh.release();
        assertEq(version, "");
        assertEq(facets.length, 0);
    }

    function test_reverts_without_a_node_or_a_wallet() public {
        bytes16[2][3] memory keys = [[bytes16(0), WALLET], [NODE, bytes16(0)], [bytes16(0), bytes16(0)]];
        for (uint256 i; i < keys.length; ++i) {
            vm.expectRevert(IRegistry.InvalidKey.selector);
            registry.createDiamond(keys[i][0], keys[i][1]);
        }
    }

    function test_reverts_when_a_facet_of_the_release_was_revoked() public {
        for (uint256 i; i < 3; ++i) {
            address facet = releaseFacets()[i];
            uint256 state = vm.snapshotState();
            vm.prank(guardian);
            registry.revokeFacet(facet, facet.codehash);
            vm.expectRevert(IRegistry.ReleaseUnusable.selector);
            registry.createDiamond(NODE, OTHER);
            // What is there already is still found.
            assertEq(registry.createDiamond(NODE, WALLET), diamond);
            vm.revertToState(state);
        }
    }

    function test_reverts_when_the_code_of_a_facet_changed() public {
        for (uint256 i; i < 3; ++i) {
            address facet = releaseFacets()[i];
            bytes memory code = facet.code;
            bytes[2] memory others = [bytes(""), abi.encodePacked(code, hex"00")];
            for (uint256 j; j < others.length; ++j) {
                vm.etch(facet, others[j]);
                vm.expectRevert(IRegistry.ReleaseUnusable.selector);
                registry.createDiamond(NODE, OTHER);
            }
            vm.etch(facet, code);
        }
        assertTrue(registry.createDiamond(NODE, OTHER).code.length > 0);
    }

    /// @dev Some chains derive addresses with another first byte than 0xff. Such a chain can not be had here, so it is
    ///      the registry that expects another byte.
    function test_reverts_when_the_chain_derives_another_address() public {
        bytes memory code = address(registry).code;
        bytes memory prefix = abi.encodePacked(hex"7fff", bytes31(0));
        uint256 found;
        for (uint256 i; i + prefix.length <= code.length; ++i) {
            bool same = true;
            for (uint256 j; same && j < prefix.length; ++j) {
                same = code[i + j] == prefix[j];
            }
            if (!same) continue;
            code[i + 1] = 0x41;
            ++found;
        }
        assertTrue(found != 0);
        address right = registry.diamondAddress(NODE, OTHER);
        vm.etch(address(registry), code);
        address wrong = registry.diamondAddress(NODE, OTHER);
        assertTrue(wrong != right);
        vm.expectRevert(abi.encodeWithSelector(IRegistry.AddressMismatch.selector, wrong, right));
        registry.createDiamond(NODE, OTHER);
    }

    function test_anyone_creates_and_it_is_told() public {
        address predicted = registry.diamondAddress(NODE, OTHER);
        assertEq(predicted.code.length, 0);
        requireKey(predicted, 0, 0);
        IDiamondCut.FacetCut[] memory cut = new IDiamondCut.FacetCut[](4);
        for (uint256 i; i < 4; ++i) {
            address facet = releaseFacets()[i];
            cut[i] = IDiamondCut.FacetCut(facet, IDiamondCut.FacetCutAction.Add, IFacet(facet).exportSelectors());
        }
        vm.expectEmit(true, true, true, true, predicted);
        emit IDiamondCut.DiamondCut(cut, address(0), "");
        vm.expectEmit(true, true, true, true, address(registry));
        emit IRegistry.DiamondCreated(predicted, NODE, OTHER);
        vm.prank(stranger);
        assertEq(registry.createDiamond(NODE, OTHER), predicted);
        requireKey(predicted, NODE, OTHER);
        assertEq(IDealFacet(predicted).registry(), address(registry));
    }

    function test_a_second_call_returns_the_address_and_changes_nothing() public {
        vm.recordLogs();
        vm.prank(stranger);
        assertEq(registry.createDiamond(NODE, WALLET), diamond);
        assertEq(vm.getRecordedLogs().length, 0);
    }

    function test_works_while_paused() public {
        pause();
        assertTrue(registry.createDiamond(NODE, OTHER).code.length > 0);
    }

    function test_starts_with_the_release() public view {
        IDiamondLoupe.Facet[] memory list = loupe.facets();
        assertEq(list.length, 4);
        for (uint256 i; i < 4; ++i) {
            // The loupe tells the newest first.
            bytes4[] memory exported = IFacet(releaseFacets()[i]).exportSelectors();
            bytes4[] memory told = list[3 - i].functionSelectors;
            assertEq(list[3 - i].facetAddress, releaseFacets()[i]);
            assertEq(told.length, exported.length);
            for (uint256 j; j < told.length; ++j) {
                assertEq(told[told.length - 1 - j], exported[j]);
            }
        }
        assertEq(diamond.code, type(Diamond).runtimeCode);
    }

    /// @dev The release changes what a diamond starts with, never where it is.
    function test_address_does_not_depend_on_release_or_caller() public {
        address predicted = registry.diamondAddress(NODE, OTHER);
        address[] memory facets = new address[](4);
        (facets[0], facets[1], facets[2]) = (cutFacet, loupeFacet, dealFacet);
        facets[3] = shared(address(new ExtraFacet()));
        approve(facets[3]);
        vm.prank(root);
        registry.setRelease("2.0.0", facets);
        assertEq(registry.diamondAddress(NODE, OTHER), predicted);
        vm.prank(buyer, buyer);
        assertEq(registry.createDiamond(NODE, OTHER), predicted);
        assertEq(ExtraFacet(predicted).extra(), 42);
    }

    function testFuzz_address_is_create2_of_node_and_wallet(bytes16 nodeId, bytes16 walletId) public {
        vm.assume(nodeId != 0 && walletId != 0);
        bytes32 salt = keccak256(abi.encodePacked(nodeId, walletId));
        address expected = vm.computeCreate2Address(salt, keccak256(type(Diamond).creationCode), address(registry));
        assertEq(registry.diamondAddress(nodeId, walletId), expected);
        assertEq(registry.createDiamond(nodeId, walletId), expected);
        assertTrue(expected.code.length > 0);
        requireKey(expected, nodeId, walletId);
    }

    function test_node_and_wallet_are_not_interchangeable() public view {
        assertTrue(registry.diamondAddress(NODE, WALLET) != registry.diamondAddress(WALLET, NODE));
    }

    /// @dev A diamond that somebody makes without the registry belongs to whoever made it, and nobody believes it.
    function test_a_diamond_made_elsewhere_is_not_ours() public {
        address[] memory facets = releaseFacets();
        vm.mockCall(address(this), abi.encodeCall(IRegistry.release, ()), abi.encode("1.0.0", facets));
        Diamond foreign = new Diamond();
        assertEq(address(foreign).codehash, diamond.codehash);
        requireKey(address(foreign), 0, 0);
        assertEq(IDealFacet(address(foreign)).registry(), address(this));
    }

    function test_unknown_functions_revert() public {
        (bool ok, bytes memory reason) = diamond.call(hex"12345678");
        assertFalse(ok);
        assertEq(reason, abi.encodeWithSelector(Diamond.FunctionNotFound.selector, bytes4(0x12345678)));
        (ok, reason) = diamond.call("");
        assertFalse(ok);
        assertEq(reason, abi.encodeWithSelector(Diamond.NativeRefused.selector));
    }
}
