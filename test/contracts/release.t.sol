// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Batcher} from "../../contracts/Batcher.sol";
import {Diamond} from "../../contracts/Diamond.sol";
import {Registry} from "../../contracts/Registry.sol";
import {DealFacet} from "../../contracts/facets/DealFacet.sol";
import {DiamondCutFacet} from "../../contracts/facets/DiamondCutFacet.sol";
import {DiamondLoupeFacet} from "../../contracts/facets/DiamondLoupeFacet.sol";
import {OfferFacet} from "../../contracts/facets/OfferFacet.sol";
import {IDealFacet} from "../../contracts/interfaces/IDealFacet.sol";
import {IFacet} from "../../contracts/interfaces/IFacet.sol";
import {LibFacet} from "../../contracts/libraries/LibFacet.sol";
import {CaratTest} from "./support/CaratTest.sol";

/// @notice The committed manifest is what these sources compile to, and what the facets say of themselves.
contract ReleaseTest is CaratTest {
    string internal manifest;
    bytes[] internal creationCodes;

    function setUp() public override {
        super.setUp();
        manifest = vm.readFile("contracts/releases/1.3.0.json");
        creationCodes = [
            LibFacet.creationCode(type(DiamondCutFacet).runtimeCode),
            LibFacet.creationCode(type(DiamondLoupeFacet).runtimeCode),
            LibFacet.creationCode(type(DealFacet).runtimeCode),
            LibFacet.creationCode(type(OfferFacet).runtimeCode)
        ];
    }

    function pathOf(uint256 i, string memory field) internal pure returns (string memory) {
        return string.concat(".facets[", vm.toString(i), "].", field);
    }

    function sorted(bytes4[] memory list) internal pure returns (bytes4[] memory) {
        for (uint256 i; i < list.length; ++i) {
            for (uint256 j = i + 1; j < list.length; ++j) {
                if (list[j] < list[i]) (list[i], list[j]) = (list[j], list[i]);
            }
        }
        return list;
    }

    function test_creation_codes_are_those_of_the_manifest() public view {
        assertEq(vm.parseJsonBytes32(manifest, ".diamondCreationCodeHash"), keccak256(type(Diamond).creationCode));
        assertEq(vm.parseJsonBytes32(manifest, ".diamondRuntimeCodeHash"), diamond.codehash);
        assertEq(vm.parseJsonBytes32(manifest, ".registryCreationCodeHash"), keccak256(type(Registry).creationCode));
        string memory batcherFile = vm.readFile("contracts/abi/Batcher.json");
        assertEq(keccak256(vm.parseJsonBytes(batcherFile, ".bytecode")), keccak256(type(Batcher).creationCode));
        assertEq(vm.parseJsonAddress(manifest, ".deployer"), LibFacet.DEPLOYER);
    }

    function test_facets_are_deployed_where_the_manifest_says() public {
        for (uint256 i; i < creationCodes.length; ++i) {
            bytes32 salt = vm.parseJsonBytes32(manifest, pathOf(i, "salt"));
            address expected = vm.parseJsonAddress(manifest, pathOf(i, "address"));
            assertEq(vm.parseJsonBytes32(manifest, pathOf(i, "creationCodeHash")), keccak256(creationCodes[i]));
            // The support of the tests has deployed them there already.
            assertEq(sharedAt(releaseFacets()[i], salt), expected);
            assertEq(expected.codehash, vm.parseJsonBytes32(manifest, pathOf(i, "runtimeCodeHash")));
            assertEq(expected.codehash, releaseFacets()[i].codehash);
        }
    }

    function test_names_and_versions_are_those_of_the_manifest() public view {
        for (uint256 i; i < creationCodes.length; ++i) {
            IFacet facet = IFacet(releaseFacets()[i]);
            assertEq(facet.facetName(), vm.parseJsonString(manifest, pathOf(i, "name")));
            assertEq(facet.facetVersion(), vm.parseJsonString(manifest, pathOf(i, "version")));
        }
    }

    /// @dev The selectors of the manifest come from the compiler's ABI, all of it but the facet's words about itself.
    function test_exported_selectors_are_the_abi() public view {
        for (uint256 i; i < creationCodes.length; ++i) {
            bytes[] memory listed = vm.parseJsonBytesArray(manifest, pathOf(i, "selectors"));
            bytes4[] memory exported = sorted(IFacet(releaseFacets()[i]).exportSelectors());
            assertEq(exported.length, listed.length);
            for (uint256 j; j < listed.length; ++j) {
                assertEq(exported[j], bytes4(listed[j]));
            }
        }
    }

    function test_no_two_facets_share_a_selector() public view {
        bytes4[] memory all = new bytes4[](64);
        uint256 count;
        for (uint256 i; i < creationCodes.length; ++i) {
            bytes4[] memory exported = IFacet(releaseFacets()[i]).exportSelectors();
            for (uint256 j; j < exported.length; ++j) {
                for (uint256 k; k < count; ++k) {
                    assertTrue(all[k] != exported[j]);
                }
                all[count++] = exported[j];
                assertEq(loupe.facetAddress(exported[j]), releaseFacets()[i]);
            }
        }
        assertEq(count, 19);
    }

    /// @dev Called at its own address a facet has no registry, so nothing that changes anything works there.
    function test_facets_do_nothing_on_their_own() public {
        for (uint256 i; i < creationCodes.length; ++i) {
            address facet = releaseFacets()[i];
            vm.record();
            bytes4[] memory exported = IFacet(facet).exportSelectors();
            for (uint256 j; j < exported.length; ++j) {
                (bool ok,) = facet.call(abi.encodePacked(exported[j], new bytes(1024)));
                ok;
            }
            (, bytes32[] memory writes) = vm.accesses(facet);
            assertEq(writes.length, 0);
        }
        vm.expectRevert();
        vm.prank(root);
        IDealFacet(dealFacet).sweep(address(0), root);
    }

    function test_facets_fit_the_size_limit() public view {
        for (uint256 i; i < creationCodes.length; ++i) {
            assertLt(releaseFacets()[i].code.length, 24_577);
        }
        assertLt(address(registry).code.length, 24_577);
        assertLt(diamond.code.length, 400);
    }
}
